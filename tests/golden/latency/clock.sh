# A clock that is ahead: whose, and no verdict from what it makes slow.
netan synth -o t --run r --hosts 4 --devices 1 --steps 4 \
	--fault clock:host-2:50ms >/dev/null
netan latency t | grep -e '^Network' -e clock
netan latency t --by host | grep -e '^Network' -e '^host' -e clock
netan synth -o u --run r --hosts 4 --devices 1 --steps 4 \
	--fault clock:host-2:-50ms >/dev/null
netan latency u | grep -e '^Network' -e clock
