# Several kinds of evidence of one run: who is accused by a trace, or by a
# capture, is so by both together, and nobody else; what one costs a step counts
# the time that both have; what cannot be joined by name explains and acquits
# nothing, and that is said.
# Not sanitized: what is concluded; the same commands read sanitized elsewhere.
try()
{
	printf '== %s\n' "$*"
	netan check -q "$@" | sed 1q
	netan check -q "$@" --format csv --table accused
	netan check -q "$@" | sed -n '/unknown: neither/,/^Evidence/p; / are not compared /p; / is not compared /p'
}
netan synth -q -o slow --hosts 4 --steps 12 --fault slow-sender:2:3 --seed 5
netan synth -q -o fine --hosts 4 --steps 12 --seed 5
netan synth -q -o calls.pcap --connections 1 --condition healthy --rpcs 67 \
	--roce 0 --size 100KB
netan synth -q -o lossy.pcap --condition timeout --condition zero-window \
	--condition healthy --condition congestion
for i in 1 2 3 4; do
	echo "10.1.0.$i,host-$((i - 1))"
done >hosts.csv
try slow
try slow calls.pcap
try lossy.pcap
try slow lossy.pcap
try slow lossy.pcap --hosts hosts.csv
try fine lossy.pcap --hosts hosts.csv
# Each pair is that of the trace; the captures' are asked for by themselves.
netan pairs -q slow >a
netan pairs -q slow calls.pcap >b
diff a b | grep '^[<>]' | sed 's/^\(. pairs:\).*/\1/'
netan pairs -q --label t slow --label c calls.pcap | grep 'side of'
netan pairs -q --component rpc slow calls.pcap | sed 1q
# Ranks: what their groups tell stays; packets of nobody knows whom acquit none.
netan synth -q -o ranks --profile pytorch --hosts 4 --devices 2 --steps 8 \
	--fault slow-sender:host-1:4
netan synth -q -o late --profile pytorch --hosts 4 --devices 2 --steps 8 \
	--fault late-rank:r5:8ms --evidence kineto --evidence recorder
netan synth -q -o well.pcap --condition healthy
try ranks well.pcap
try late well.pcap
try late well.pcap --hosts hosts.csv
# Who loses packets, and no side more than its share.
netan synth -q -o all.pcap --condition loss --roce 0
netan check -q all.pcap --format json |
	sed -n '/^    "accused"/,/^    \]/p' | grep -e kind -e 10.1
