# XProf's own numbers: device 0 of each host, whole microseconds.
netan synth -o t --run r --hosts 2 --devices 2 --steps 3 --collectives 4 \
	--fault stall:all-reduce.19_1:2ms >/dev/null
netan slack t --reference
netan slack t --reference --format tsv | cut -f 1,2,6-8,14,20,26-32
