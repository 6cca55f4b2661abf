# One story: what two commands say of one session agrees.  Each line is a
# session and whom check accuses; what does not agree follows it with "but".
# Not sanitized: what is concluded; the same commands read sanitized elsewhere.
. "$NETAN_ROOT/tests/golden/planted/common"
n=0
# FILE NAME COLUMN...: a list of a result in JSON, a row a line; "-" where it has
# none.
table()
{
	local file=$1 name=$2
	shift 2
	awk -v name="$name" -v want="$*" '
	function of(member,	m) {
		if (!match(item, "[{ ]\"" member "\": (\"[^\"]*\"|[^\",}]+)"))
			return "-"
		m = substr(item, RSTART, RLENGTH)
		sub(/^[^:]*: "?/, "", m)
		sub(/[" ]+$/, "", m)
		return m == "null" ? "-" : m
	}
	function row(	i, line) {
		for (i = 1; i <= n; i++)
			line = line (i > 1 ? " " : "") of(w[i])
		print line
	}
	BEGIN { n = split(want, w, " ") }
	/^    [^ ]/ { inside = $0 == "    \"" name "\": [" }
	!inside { next }
	/^      \{ / { item = $0; row() }
	/^      \{$/ { item = "" }
	/^        "/ { item = item " " $1 " " substr($0, index($0, $2)) }
	/^      \}/ { row() }' $file
}
but()
{
	echo "  but $*"
}
# Of JSON: the text of the first member of that name.
member()
{
	sed -n "s/^ *\"$2\": \"\{0,1\}\([^\"]*[^\",]\)\"\{0,1\},\{0,1\}\$/\1/p" $1 |
		head -n 1
}
same()
{
	[ "$2" = "$3" ] || but "$1: '$2' is not '$3'"
}
# The network's culprits, by check and by pairs; what their own work makes slow,
# by check and by steps, and what that costs.
names()
{
	local who='kind host src_host dst_host' own

	table check.json accused cause $who cost_ms_per_step confidence >accused
	sed -n 's/^network \(.*\) [^ ]* [^ ]*$/\1/p' accused | sort >by-check
	table pairs.json culprits $who | sort >by-pairs
	table steps.json stragglers cause host cost_ms_per_step |
		sed -n 's/^computation/compute/p; /^input/p' | sort >by-steps
	sed -E -n 's/^(compute|input) host ([^ ]+) - - ([^ ]+) .*/\1 \2 \3/p' accused |
		sort >own
	same 'check and steps' "$(cat own)" "$(cat by-steps)"
	# A straggler's transfers wait for it: that is said, and nobody accused.
	own=$(cut -d' ' -f2 by-steps)
	[ "$own" ] && grep -v -w "$own" by-pairs >rest || cp by-pairs rest
	same 'check and pairs' "$(cat by-check)" "$(cat rest)"
}
# Beside a NIC or path that pairs names, steps does not say that all is well,
# or that it is not the network, but of whom that is true.
words()
{
	local said

	[ -s by-pairs ] || return
	said=$(member steps.json verdict)
	case $said in
	'no host stands out'*'netan pairs'*) ;;
	*'no host stands out'* | *'not the network'*) but "steps says: $said" ;;
	*'own work, not its network'* | *'not for the network'* | \
		*'the transfers of '* | *'transfers that it waits for'*) ;;
	*) but "steps says nothing of the network: $said" ;;
	esac
}
# The first line, the outcome and what it rests on.
outcome()
{
	local verdict outcome of_pairs power cost

	verdict=$(member check.json verdict)
	outcome=$(member check.json outcome)
	of_pairs=$(member pairs.json outcome)
	power=$(table check.json power host | wc -l)
	case $verdict in
	"suspect: "* | "possible cause: "*) same outcome $outcome guilty ;;
	"Network looks healthy"*) same outcome $outcome not_guilty ;;
	"cannot tell: "* | *"; network: cannot tell: "*) same outcome $outcome cannot_tell ;;
	*) but "verdict: $verdict" ;;
	esac
	[ $outcome = guilty ] && [ ! -s by-check ] && but 'guilty, and nobody is accused'
	[ $outcome != guilty ] && [ -s by-check ] && but 'somebody is accused, and not guilty'
	[ $outcome = not_guilty ] && [ $of_pairs = guilty ] && but 'pairs says guilty'
	[ $outcome = not_guilty ] && [ $power = 0 ] && but 'acquitted without power'
	[ $of_pairs = not_guilty ] && [ $power = 0 ] && but 'acquitted without power by pairs'
	# A name that is accused with a cost says so in the first line.
	if [ $(grep -c . accused) = 1 ]; then
		cost=$(sed 's/.* \([^ ]*\) [^ ]*$/\1/' accused)
		case $cost:$verdict in
		-:*', costs '*) but 'a cost that accused[] does not have' ;;
		-:*) ;;
		*', costs '*) ;;
		*) but 'no cost in the first line' ;;
		esac
	fi
}
# One cause has one cost: stalls have none beside who causes them, also where
# nobody knows what that costs.
costs()
{
	table check.json findings id cost_ms_per_step |
		grep -E '^(slack-small|cannot-hide) [0-9]' >stalls
	[ -s accused ] && [ -s stalls ] && but "two costs: $(cat stalls)"
	[ $(grep -c . stalls) -gt 1 ] && but "two costs of stalls"
	table check.json findings severity cost_ms_per_step | sed 's/ -$/ 0/' |
		awk '{ r = $1 == "error" ? 3 : $1 == "warning" ? 2 : 1
			if (NR > 1 && (r > last || (r == last && $2 > cost)))
				print "  but findings out of order"
			last = r; cost = $2 }'
}
# Saturated is one thing.
saturation()
{
	local full said

	full=$(table timeline.json saturated host | grep -c .)
	table check.json findings id >found
	said=$(grep -c bandwidth-bound found)
	[ $said -gt 0 ] && [ $full = 0 ] && but 'bandwidth-bound, and never saturated'
	[ $said -gt 0 ] && grep -q cannot-hide found &&
		but 'a full link, and one that is not'
}
session()
{
	echo "$*"
	n=$((n + 1))
	s=j$n
	netan synth -q -o $s --run r --devices 2 --steps 8 "$@"
	judge
}
judge()
{
	netan check -q $s $capacity --format json >check.json
	netan timeline -q $s $capacity --format json >timeline.json
	netan pairs -q $s --format json >pairs.json
	netan steps -q $s --format json >steps.json
	names
	words
	outcome
	costs
	saturation
	awk '{ $(NF - 1) = ""; print "  " $0 }' accused | tr -s ' '
}
capacity='--capacity 200Gbps'
session --hosts 8
session --hosts 4
session --hosts 8 --fault slow-sender:host-3:3
same 'the receiving host' "$(netan latency $s --by host | grep -c '^receiving host')" 1
netan latency $s --by host |
	grep -q 'senders differ more: what host-3 sends .* --by src' ||
	but 'latency --by host does not point to its sender'
same 'ruler' "$(netan timeline -q $s --host host-1 --step 3-5 --format json |
	sed -n 's/.*"step": \([0-9]*\),.*/\1/p' | tr '\n' ' ')" '3 4 5 '
session --hosts 8 --fault slow-receiver:host-5:2
session --hosts 8 --fault slow-host:host-2:3
session --hosts 8 --fault slow-path:host-1:host-6:4
session --hosts 8 --fault tail:host-3:0.05
session --hosts 4 --fault slow-compute:host-2:2
session --hosts 8 --fault late-input:host-1:20ms
session --hosts 8 --fault slow-sender:host-3:3 --fault slow-compute:host-6:2
session --hosts 8 --fault clock:host-4:5ms
netan rpc -q $s | grep -q '^No transfer is 100 ms late' || but 'rpc takes a clock for late transfers'
netan diff -q j1 $s | grep -q '^A and B are the same' ||
	but 'diff takes a clock for slow transfers'
session --hosts 4 --fault small-slack:all-reduce.40_1
session --hosts 4 --fault slow-host:host-2:3
netan pairs -q $s | grep -q -e 'both sides of host-2' \
	-e 'every pair of host-2, both ways, takes' ||
	but 'pairs passes over a host that is slow as a whole'
capacity='--capacity 15Gbps'
session --hosts 4 --link-rate 20Gbps
same 'a full link' "$(grep -c bandwidth-bound found)" 1
# Nothing to compare acquits nobody.
capacity=
echo 'no transfers'
s=none
netan synth -q -o none --run r --hosts 1 --devices 2 --steps 2
netan check -q none --format json >check.json
same outcome "$(member check.json outcome)" cannot_tell
# One host's file acquits nobody, and says what it takes.
echo 'one file'
s=j1/plugins/profile/r/host-3.xplane.pb
netan check -q $s --format json >check.json
same outcome "$(member check.json outcome)" cannot_tell
netan pairs -q $s --format json >pairs.json
same 'outcome of pairs' "$(member pairs.json outcome)" cannot_tell
for said in "$(member check.json verdict)" "$(member pairs.json verdict)"; do
	case $said in
	'cannot tell'*'give the files of all hosts'*) ;;
	*) but "of one file: $said" ;;
	esac
done
netan check -q $s | sed -n '/^passed/{n;p;}' |
	grep -o -w -e bad-endpoint -e straggler -e clock-skew |
	sed 's/^/  but passed: /'
# What an error has said needs no empty table.
same 'after an error' "$(netan tcp -q none 2>error; netan pairs -q nofile 2>>error)" ''
same errors "$(grep -c '^netan: error: ' error)" 2
