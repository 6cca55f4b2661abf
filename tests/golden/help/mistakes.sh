netan help nothing
echo "exit $?"
netan help info timeline
echo "exit $?"
netan help --man
echo "exit $?"
netan help --schema completion
echo "exit $?"
netan help --schema --man info
