# The terms of a host's odds, in words and for programs; docs/methods.md
# computes the first example by hand.
synth()
{
	out=$1
	shift
	netan synth -q -o "$out" --run "$out" --hosts 4 --devices 1 "$@"
}
synth four --steps 12 --collectives 1 --seed 3 --fault slow-sender:3:4
netan pairs four --explain host-3
echo "== a healthy host"
netan pairs four --explain host-0 --top 2 | sed -n '/^observations/,/^likeliest/p'
echo "== late transfers, and a device"
synth late --steps 10 --fault tail:1:0.2
netan pairs late --level device --explain s1d0 --top 2 |
	sed -n '/^observations/,/^likeliest/p'
echo "== both sides, two runs"
synth both --steps 10 --fault slow-host:2:3 --hosts 8
netan pairs --label four four --label both both --explain host-2 --top 1 |
	sed -n '/: observations/,/^likeliest/p'
echo "== for programs"
netan pairs four --explain host-3 --format csv --table terms |
	awk -F, -v OFS=, 'NR > 1 { for (i = 7; i <= NF; i++) $i = sprintf("%.3f", $i) } 1'
netan pairs four --explain host-3 --format json -q >out.json
grep -c '"terms": \[' out.json
sed -n '/"odds": \[/,/\]/p' out.json | grep -c null
echo "== nobody of that name"
netan pairs four --explain hots-3
echo "exit $?"
