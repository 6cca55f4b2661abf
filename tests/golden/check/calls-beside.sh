# Calls of a capture beside traces: what is found of them is what is found in the
# capture alone, and what the traces tell is what they tell alone; commands name
# the inputs that a finding is of; who passed says of what; and a suspicion of
# captures that cannot be joined leaves the traces' hosts acquitted.
# Not sanitized: what is concluded; the same commands read sanitized elsewhere.
of_transfers()
{
	netan check -q "$@" |
		sed -n -E '/^[a-z]+ (rpc-latency|small-transfers|bursty):/,/^$/p'
}
commands()
{
	printf '== %s\n' "$*"
	netan check -q "$@" --only rpc-latency --only small-transfers \
		--only bursty | sed -n '/^More: /p; / in the traces; /p'
}
netan synth -q -o fine --hosts 4 --steps 12 --seed 5
netan synth -q -o tails --hosts 4 --steps 12 --fault tail:1:0.05
netan synth -q -o late --hosts 4 --steps 12 --fault late-input:1:30ms
netan synth -q -o ranks --profile pytorch --hosts 4 --devices 2 --steps 8
netan synth -q -o tail.pcap --condition healthy
netan synth -q -o burst.pcap --condition loss --condition idle --seed 3
netan synth -q -o few.pcap --connections 1 --condition healthy --rpcs 67 \
	--roce 0 --size 100KB
netan synth -q -o doubt.pcap --connections 1 --condition loss \
	--condition healthy --rpcs 20 --roce 0 --size 60KB
for i in 1 2 3 4; do
	echo "10.1.0.$i,host-$((i - 1))"
done >hosts.csv
of_transfers fine tail.pcap
for t in fine tails late ranks; do
	for p in tail.pcap burst.pcap; do
		{ of_transfers $t; of_transfers $p; } | sort >alone
		of_transfers $t $p | sed 's/: of the captures:/:/' | sort >both
		diff alone both && echo "$t $p: as each by itself"
	done
done
commands tails tail.pcap
commands tails tail.pcap --hosts hosts.csv
commands fine tail.pcap --from 0s --to 0.5s
commands fine few.pcap
commands fine tail.pcap --component rpc
netan synth -q -o large --hosts 4 --steps 6 \
	--fault large-shard:all-reduce.40_1:64MiB
netan check -q large tail.pcap | sed -n '/^More: .* sizes/p'
netan check -q tails tail.pcap --capacity 1Gbps | sed -n '/^More: .*timeline/p'
echo '== verdicts'
for more in '' '--hosts hosts.csv' '--skip bad-endpoint'; do
	netan check -q fine doubt.pcap $more | sed 1q
done
netan check -q ranks doubt.pcap | sed 1q
netan check -q fine doubt.pcap --format json | grep '"outcome"'
