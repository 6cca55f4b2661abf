# Host threads by name: they tell old-style transfers, and nothing else.
cd "$NETAN_ROOT" || exit
try()
{
	netan sizes tests/data/notebook-a.xplane.pb "$@" | sed 1q
	netan sizes tests/data/graph.xplane.pb "$@" | sed 1q
}
try
try --line 'MegascaleEM2_Worker*'
try --line '*_Worker/1' --line 'grpc*'
try --line 'none*'
try --min-latency 1ms
try --min-latency 1ms --line '*/2'
