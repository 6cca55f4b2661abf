# Who is slow and why: planted faults, and none.
try()
{
	rm -rf t
	netan synth -o t --run r --hosts 4 --devices 2 --steps 20 --ops 30 "$@" >/dev/null
	netan steps t --top 4
}
try --fault slow-compute:2:1.4
try --fault slow-receiver:1:4 | sed -n 1,8p
try --fault clock:1:5ms | sed -n 1,3p
