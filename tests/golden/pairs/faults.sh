# What was planted is found, and nothing else; --fail-on for scripts.
# Not sanitized: what is concluded; the same commands read sanitized elsewhere.
n=0
hunt()
{
	fault=$1
	shift
	n=$((n + 1))
	netan synth -o $n --run r --hosts 8 --devices 2 --steps 10 \
		${fault:+--fault} $fault >/dev/null
	echo "== ${fault:-healthy} $*"
	netan pairs $n "$@" --format json -q >out.json
	echo "exit $?"
	sed -n '/"culprits": \[/,/^    "undecided"/p' out.json |
		grep -E '"(kind|host|src_host|dst_host|channel|intermittent)"'
	grep -E '"(verdict|ahead_us)"' out.json
}
hunt '' --fail-on info
hunt slow-sender:3:4 --fail-on error
hunt slow-receiver:6:3 --fail-on warning
hunt slow-host:2:3
hunt slow-path:1:5:6 --fail-on error
hunt tail:1:0.02 --fail-on error
hunt clock:4:300us --fail-on warning
hunt clock:4:-2ms --fail-on error
