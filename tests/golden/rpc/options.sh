cd "$NETAN_ROOT" || exit
try()
{
	netan rpc "$@"
	echo "exit $?"
}
try
try missing.pb
try tests/data/graph.xplane.pb --bin 5
try tests/data/graph.xplane.pb --bin 1ps
try tests/data/graph.xplane.pb --bin 1ns
try tests/data/graph.xplane.pb --by hots
