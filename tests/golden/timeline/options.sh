cd "$NETAN_ROOT" || exit
try()
{
	netan timeline tests/data/graph.xplane.pb "$@"
	echo "exit $?"
}
try --bin 1ns
try --bin 5
try --by hots
try --by colour
try --capacity fast
try --capacity 4x200Gbps/2 --format tsv --table saturated
try --step 3-1
try --from 2s --to 1s
try --from noon
try --sied rx
