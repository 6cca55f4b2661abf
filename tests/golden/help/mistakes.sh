netan help nothing
echo "exit $?"
netan help info timeline
echo "exit $?"
netan help --man
echo "exit $?"
netan help --schema completion
echo "exit $?"
netan help --schema --man info
# An option that is meant, and one that another command has.
netan steps --widht 4
netan steps --waterfall x
netan slack --waterfal x
