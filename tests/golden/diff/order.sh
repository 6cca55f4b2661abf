# What hosts send and receive is one list, with what changed most first, slower
# or faster: --top leaves out the rest.
netan synth -q -o a --hosts 8 --devices 1 --steps 10
netan synth -q -o b --hosts 8 --devices 1 --steps 10 \
	--fault slow-sender:host-3:2 --fault slow-receiver:host-1:4
netan diff a b --top 3 --format csv --table hosts | cut -d, -f1-4
netan diff b a --top 3 --format csv --table hosts | cut -d, -f1-4
