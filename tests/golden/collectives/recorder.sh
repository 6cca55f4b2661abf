# Dumps of the recorder by themselves: who queues last.  With the traces of
# the same run, and logs of the library's plugin: nothing is counted twice.
netan synth -q --profile pytorch --hosts 2 --devices 4 --steps 3 --seed 5 \
	--fault late-rank:r5:4ms --evidence kineto --evidence recorder \
	--evidence recorder-json -o slow
netan collectives slow/recorder | head -n 16
netan collectives slow/recorder | tail -n 3
netan collectives slow/recorder -o a.csv -q
netan collectives slow/recorder-json -o b.csv -q
cmp a.csv b.csv
netan collectives slow/kineto -o a.csv -q
netan collectives slow/recorder slow/kineto -o b.csv -q
cmp a.csv b.csv
netan info slow/kineto slow/recorder | tail -n 3
netan steps slow/recorder
netan latency slow/recorder
