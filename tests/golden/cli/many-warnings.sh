# Of many damaged files twenty are named, the others counted; -v names all.
mkdir many
for i in $(seq 1 30); do : >many/host-$i.xplane.pb; done
netan timeline many 2>said
echo "exit $?"
grep -c 'an empty file' said
tail -n 3 said
netan timeline -q many 2>said
cat said
netan timeline -v many 2>said
grep -c 'warning: .*an empty file' said
grep 'more warnings' said
