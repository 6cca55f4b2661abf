# Two steps that both wait for one host, by a tenth of their time, name it,
# "possible"; one step names nobody, and says for whom it waits before it
# blames the schedule. Two steps of a healthy job name nobody.
netan synth -q -o j --run r --hosts 8 --steps 16 --seed 3 \
	--fault small-slack:all-reduce.40_1 \
	--fault slow-compute:6:1.5
for steps in 4-5 4; do
	echo "== $steps"
	netan check j --step $steps | sed -n -e 1p -e '/^warning slack-small/,/^More/p' \
		-e '/^warning straggler/,/^Or/p'
done
echo "== healthy"
netan synth -q -o h --run r --hosts 8 --steps 16 --seed 3
for steps in 0-1 4-5 9-10; do
	netan check h --step $steps | grep -c '^warning straggler'
done
# What waits in each step waits not "now and then".
netan synth -q -o l --run r --hosts 4 --steps 3 --fault late-input:1:200ms
netan check l | grep '^warning straggler'
