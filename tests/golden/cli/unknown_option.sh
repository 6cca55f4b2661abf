netan timeline --form csv x
echo "exit $?"
netan timeline --frobnicate x
echo "exit $?"
netan timeline -jx x
echo "exit $?"
netan timeline -qZ x
# Most of it would have to be another word.
netan timeline --foo x
