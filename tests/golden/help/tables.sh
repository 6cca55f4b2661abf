netan help --tables
netan help --tables timeline
echo "exit $?"
