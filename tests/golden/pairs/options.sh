cd "$NETAN_ROOT" || exit
try()
{
	netan pairs tests/data/graph.xplane.pb "$@"
	echo "exit $?"
}
try --by collective
try --level rack
try --fail-on never
try --fail-on info -q -o /dev/null
try --side tx --top 1
try --component graph
