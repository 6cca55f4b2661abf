netan help --tables
netan help --tables timeline
echo "exit $?"
netan help --tables inputs
netan help --tables host_pairs
netan help --tables inptus
echo "exit $?"
