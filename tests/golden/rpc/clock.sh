# A clock that is off by the wait of a timer is not a loss of packets; and
# the groups with the most tail events come first.
netan synth -o t --run r --hosts 4 --devices 1 --steps 10 \
	--fault clock:host-2:205ms >/dev/null
netan rpc t
echo "exit $?"
netan rpc t --by dst --top 1
netan synth -o u --run r --hosts 4 --devices 2 --steps 30 \
	--fault tail:host-1:0.01 >/dev/null
netan rpc u --by src --top 3 | tail -n 6
