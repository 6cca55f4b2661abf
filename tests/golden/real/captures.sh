# Captures agree with what tshark and capinfos say of them: packets, bytes,
# cut packets, steps back in time, interfaces, connections, RoCE messages,
# calls, first and last packet.  Only of a BIG TCP packet tshark 4.0 cannot say
# that it is TCP.
data=${NETAN_TEST_DATA-}
if [ ! -d "$data/pcap" ]; then
	echo "skip: NETAN_TEST_DATA does not name the folder of real files"
	exit 77
fi
members='packets captured_bytes wire_bytes cut_packets backward_steps
	interfaces connections roce_messages rpcs'

# The value of a member of a flat part, "name": value; 0 when absent.
of() { grep -o "\"$1\": *[0-9-]*" | head -n 1 | sed 's/.*: *//' | grep . || echo 0; }

truth()
{
	tr -d '\n' <"$1" >flat
	roce=$(grep -o '"messages":[0-9]*' flat | awk -F: '{ n += $2 } END { print n + 0 }')
	ifaces=$(sed -n 's/.*"packets_per_interface_id":{\([^}]*\)}.*/\1/p' flat | tr ',' '\n' | grep -c .)
	[ "$ifaces" = 0 ] && ifaces=1
	for t in packets_dissected captured_bytes_total frame_bytes_total \
		truncated_packets backward_time_steps; do
		of $t <flat
	done
	echo "$ifaces"
	of tcp_streams <flat
	echo "$roce"
	of rpcs <flat
	# Seconds from the first packet in the file to the earliest, the latest.
	awk -v a="$(of first_ns <flat)" -v b="$(of min_ns <flat)" -v c="$(of max_ns <flat)" \
		'BEGIN { printf "%.3f %.3f\n", (b - a) / 1e9, (c - a) / 1e9 }'
}

ours()
{
	netan info "$1" --format json 2>said | tr -d '\n' |
		sed 's/.*"totals": *//' >flat
	for m in $members; do
		of "$m" <flat
	done
	sed 's/.*"from_s": *\([0-9.e+-]*\),.*"to_s": *\([0-9.e+-]*\)[, }].*/\1 \2/' flat |
		awk '{ printf "%.3f %.3f\n", $1, $2 }'
}

for f in "$data"/pcap/*; do
	name=${f##*/}
	truth "$data/truth/$name.json" >want
	ours "$f" >got
	if cmp -s got want; then
		echo "$name: agrees: $(tr "\n" " " <got)"
	else
		echo "$name: ours: $(tr "\n" " " <got)theirs: $(tr "\n" " " <want)"
	fi
done
