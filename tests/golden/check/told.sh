# The one that has too little slack is not the one that stalls longest, which
# `slack` has first.
netan synth -q -o job --hosts 4 --steps 8 --fault small-slack:all-reduce.26_2
netan check -q job | grep -A 1 '^warning slack-small'
rm -r job
# Nobody else is named, so that there is nothing to see first.
netan synth -q -o job --hosts 2 --steps 16 --fault slow-host:1:3
netan check -q job | sed -n '/^warning slack-small/,/^More/p' | grep -e Evidence -e 'Or else'
rm -r job
# Clocks that hardly any receive tells of are not acquitted.
netan synth -q -o job --hosts 4 --devices 2 --steps 6 \
	--fault no-latency:0:5000 --fault no-latency:1:5000
netan check -q job | grep clock-skew
