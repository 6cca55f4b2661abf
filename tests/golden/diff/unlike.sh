# Runs that did not do the same work: what differs comes first, in the table,
# the JSON and the picture, and nothing is better or worse.
netan synth -o eight --hosts 8 --devices 2 --steps 10 --ops 2 -q
netan synth -o again --hosts 8 --devices 2 --steps 10 --ops 2 --repeat 1 -q
netan synth -o lame --hosts 8 --devices 2 --steps 10 --ops 2 --repeat 2 \
	--fault slow-sender:3:3 -q
netan synth -o six --hosts 6 --devices 2 --steps 10 --ops 2 -q
netan synth -o wide --hosts 8 --devices 4 --steps 10 --ops 2 -q
netan synth -o more --hosts 8 --devices 2 --steps 10 --ops 2 --collectives 12 -q
netan synth -o ranks --profile pytorch --hosts 4 --devices 2 -q
netan synth -o fewer --profile pytorch --hosts 2 --devices 2 -q
netan synth -o calls.pcap --rpcs 300 --roce 0 --connections 1 -q
netan synth -o bulk.pcap --rpcs 0 --roce 0 --connections 12 -q
for pair in "eight six" "six eight" "eight wide" "eight more" "eight lame" \
	"eight again" "eight ranks/kineto" "ranks/kineto fewer/kineto" \
	"eight calls.pcap" "bulk.pcap bulk.pcap"; do
	echo "$pair"
	netan diff $pair -o x.json -o x.svg -o - -q | sed -n 3p
	tr -d '\n' <x.json | grep -o '"unlike": *\[[^]]*]'
	grep -o '"verdict": "[a-z]*",*$' x.json | grep -c 'better\|worse'
	grep -o '<title>[^:]*:[^:.]*' x.svg
done
# Limits of B alone are held; those against A cannot be.
netan diff eight six -q --fail-if 'steps.p50>+1%' --fail-if 'steps.p50>1ms' |
	sed -n '/^Limits/,/^$/p'
