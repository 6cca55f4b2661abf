# Analyses of the given captures' transfer files say the same as of themselves.
[ -d "${NETAN_TEST_DATA-}/pcap" ] || { echo "skip: NETAN_TEST_DATA is not set"; exit 77; }
result()
{
	netan "$1" "$2" --format json 2>/dev/null |
		sed -E 's/^( *"(path|format)":).*/\1/' |
		awk '/"inputs"/ { on = 1 } /"origin/ { on = 0 }
		     !(on && /"bytes"/)'
}
for f in "$NETAN_TEST_DATA"/pcap/*.pcap*; do
	name=${f##*/}
	netan ingest -o t.netan "$f" >/dev/null 2>&1
	cp "$f" "$name"
	mv t.netan "$name.netan"
	differ=
	for c in info timeline latency sizes bursts rpc pairs tcp; do
		[ "$(result $c "$name")" = "$(result $c "$name.netan")" ] ||
			differ="$differ $c"
	done
	echo "$name:${differ:- same}"
done
