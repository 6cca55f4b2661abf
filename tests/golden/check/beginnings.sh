# How connections begin and end: what heals, or leaves nothing open, accuses
# nobody; what never heals, or goes on, is told with how often and how long.
command -v python3 >/dev/null || {
	echo "skip: no python3"
	exit 77
}
python3 "$NETAN_ROOT/tests/oracle/tcp_ends.py" .
for file in *.pcap; do
	echo "== ${file%.pcap}"
	netan check -q "$file" --fail-on warning >said || echo "exit $?"
	sed -n -E '1p; /^(error|warning|info) tcp-connection/p' said
	netan check -q "$file" --format json | grep -A 2 '"cause"' |
		tr -s ' \n' ' '
	echo
done
# Why, and what else it could be.
netan check -q syns_again.pcap | grep -E '^(Evidence|Or else):'
netan check -q unanswered_each.pcap | grep '^Evidence:'
netan tcp -q answered_later.pcap --format json | grep 'let the client in'
netan tcp -q not_up.pcap --fail-on warning | sed -n 1p
