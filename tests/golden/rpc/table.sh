# Retransmission timeouts of one sender; and a job without any.
netan synth -o t --run r --hosts 4 --devices 2 --steps 30 \
	--fault tail:host-1:0.01 >/dev/null
netan rpc t
netan synth -o u --run r --hosts 2 --devices 1 --steps 3 >/dev/null
netan rpc u --by src
