# What a host takes longer, and the steps do not wait for: no cost, in no line;
# what they wait for in part; a slow NIC that only the mean step shows is told
# a step, and has its line of costs.
# Not sanitized: what is concluded; the same commands read sanitized elsewhere.
try()
{
	netan synth -q -o "$1" --hosts "$2" --steps "$3" --seed 1 --fault "$4"
	netan check -q "$1" >out
	sed -n -E '1p; /^(error|warning|Costs)/p; /^Evidence.*hide/p' out
}
try hidden 16 8 slow-compute:2:1.3
try part 8 10 late-input:4:30ms
netan check -q part --format json |
	grep -E '"(cost_is|own_ms_per_step|cost_ms_per_step|lost_s)"'
try mean 16 8 slow-sender:7:1.9
