# Names that come close are named, and nothing is counted under another one.
sed 's/NetworkReceive END/NetworkRcvdMsg END/g; s/NetworkSend END/NetworkSnt_ END/g' \
	"$NETAN_ROOT/tests/data/graph.xplane.pb" >odd.xplane.pb
netan info odd.xplane.pb --format json | grep -A8 '"coverage"'
netan timeline odd.xplane.pb
echo "exit $?"
