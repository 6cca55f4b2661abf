# One command in two shards, of traces that are intact and cut: the same bytes.
netan synth -q -o job --hosts 4 --slices 2 --devices 1 --steps 3 \
	--fault slow-sender:host-1:4 --fault truncate:host-2:0.5
for i in 1 2; do netan partial -q --shard $i/2 -o p0.$i.nap pairs job; done
netan merge -q -o plan.nap p0.*.nap
for i in 1 2; do
	netan partial -q --plan plan.nap --shard $i/2 -o p1.$i.nap pairs job
done
netan merge -q -o all.json p1.*.nap
netan pairs -q -o one.json job
cmp all.json one.json && echo same
