netan synth -o t --run r --hosts 2 --devices 2 --steps 3 >/dev/null
try()
{
	netan sizes t "$@" | sed -n '3,5p;9,11p'
	echo
}
try
try --small 1MiB
try --small 0
try --min-size 8MiB
try --max-size 2KiB
try --side tx
try --from 30ms --to 60ms
try --step 1
netan sizes t --top 3 | sed -n '/sizes$/,$p'
netan sizes t --by collective --top 2 | sed -n '/^groups/,$p'
netan sizes t --small many
echo "exit $?"
