netan timeline
echo "exit $?"
netan info --strict
echo "exit $?"
netan info "$no_such_variable" ''
