netan synth -o t --run r --hosts 2 --devices 1 --steps 1 >/dev/null
try()
{
	netan sizes "$@"
	echo "exit $?"
}
: >empty.xplane.pb
try empty.xplane.pb
try t --collective none
try t --min-size 1TiB --by size --format csv
try t --from 5s --to 6s -o x.svg
grep -c 'No transfer was counted\|all transfers were left out' x.svg
