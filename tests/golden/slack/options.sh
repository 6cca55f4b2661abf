netan synth -o t --run r --hosts 2 --devices 2 --steps 3 --collectives 4 \
	>/dev/null
try()
{
	netan slack t "$@"
	echo "exit $?"
}
try --by src
try --min-size 1KiB
try --component send
try --capacity 12
try --sort none
try --late 65
try --fail-on warning -q -o /dev/null --format json
try --collective 'all-gather*' --late 0
try --from 60ms --to 1h --late 0 --top 1
try --host host-1 --step 1 --late 0 --top 1
netan slack --label a t --label b t --late 0 --top 2 | sed -n 3,7p
netan synth -o u --run r --hosts 2 --devices 2 --steps 3 --collectives 4 \
	--fault small-slack:all-reduce.19_1 >/dev/null
netan slack u --fail-on warning -q -o /dev/null --format json
echo "exit $?"
