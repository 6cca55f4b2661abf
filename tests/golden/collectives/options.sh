netan synth -o t --run r --hosts 2 --devices 2 --steps 3 --ici 1 >/dev/null
try()
{
	netan collectives t --format csv --table networks "$@"
	echo "exit $?"
}
try
try --step 1
try --from 30ms --to 60ms
try --collective 'psum*'
try --by label
try --by host
try --collective nothing
try --from 5s --to 6s
netan collectives t --top 2 --format csv | cut -d, -f1-9
netan collectives t --top 2 | tail -n 4
netan synth -o u --run r --hosts 2 --devices 2 --steps 3 --seed 2 >/dev/null
netan collectives --label a t --label b u --format csv | cut -d, -f1-4
