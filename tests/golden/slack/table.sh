netan synth -o t --run r --hosts 2 --devices 2 --steps 4 --collectives 4 \
	--fault stall:all-reduce.26_2:2ms --fault small-slack:all-reduce.19_1 \
	>/dev/null
netan slack t --late 0
netan slack t --by host --capacity 25Gbps --sort required --top 3 --late 0
