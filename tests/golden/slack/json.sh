netan synth -o t --run r --hosts 2 --devices 1 --steps 2 --collectives 2 \
	--fault stall:all-reduce.19_1:2ms >/dev/null
netan slack t --capacity 100Gbps --late 0 --format json
