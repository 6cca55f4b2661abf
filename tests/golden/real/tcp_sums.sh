# What is said of loss adds up, in the table, in check and in the picture: of a
# real lossy download every late segment has a newer IP ID than all before it,
# so that each was sent again, and 150 of them fill what was not seen.
data=${NETAN_TEST_DATA-}/pcap
if [ ! -d "$data" ] || ! command -v python3 >/dev/null; then
	echo "skip: NETAN_TEST_DATA does not name the folder of real files"
	exit 77
fi
f=$data/tcp_ftp_download_loss_sack.pcap
python3 - "$f" <<'EOF'
import struct
import sys

late = newer = fills = holes = 0
high = newest = None
gaps = []
data = open(sys.argv[1], "rb").read()
at = 24
while at < len(data):
    n = struct.unpack_from("<I", data, at + 8)[0]
    ip = data[at + 16 + 14:at + 16 + n]
    at += 16 + n
    if not ip or ip[0] >> 4 != 4 or ip[9] != 6:
        continue
    tcp = ip[4 * (ip[0] & 15):]
    ports = struct.unpack_from(">HH", tcp)
    if ports != (20, 1198):
        continue
    ident = struct.unpack_from(">H", ip, 4)[0]
    seq = struct.unpack_from(">I", tcp, 4)[0]
    size = struct.unpack_from(">H", ip, 2)[0] - 4 * (ip[0] & 15) \
        - 4 * (tcp[12] >> 4)
    if tcp[13] & 2:
        high, newest = seq + 1, ident
        continue
    if size and seq < high:
        late += 1
        newer += ident > newest
        hit = [g for g in gaps if g[0] < seq + size and seq < g[1]]
        fills += bool(hit)
        for g in hit:
            gaps.remove(g)
            gaps += [p for p in ((g[0], seq), (seq + size, g[1]))
                     if p[0] < p[1]]
    elif size and seq > high:
        holes += 1
        gaps.append((high, seq))
    high, newest = max(high, seq + size), max(newest, ident)
print("bytes of the file:", late, "late,", newer, "of them sent again,", fills,
      "fill", holes, "holes")
EOF
netan check "$f" | grep -E '(sent again in all|of these|until the holes|Costs: 7|late or)'
netan tcp "$f" -q -o x.json -o x.svg
python3 - <<'EOF'
import json

r = json.load(open("x.json"))["result"]
d, marks = r["connections"][0]["fwd"], r["sequence"]["mark_counts"]
drawn = [marks[k] for k in ("timeout", "fast", "other", "spurious")]
print("picture:", " + ".join(map(str, drawn)), "=", sum(drawn), "sent again,",
      marks["out_of_order"], "out of order,", marks["lost_before"], "holes")
print("members:", d["lost_data_segments"], "lost +",
      d["needless_retransmissions"], "for nothing, as Wireshark",
      d["retransmissions"]["total"], "+", d["out_of_order"])
print("time:", round(d["recovery_ms"] + d["timeout_ms"]), "of",
      round(r["connections"][0]["lost_ms"]), "ms")
EOF
# Three hosts have an address in it; two of them move data.
netan check "$f" | grep -o '[0-9]* hosts, .* s,'
netan tcp "$f" | head -1 | grep -o '[0-9]* hosts with [a-z]*'
netan latency "$f" | head -1 | grep -o '[0-9]* hosts with [a-z]*'
netan sql "$f" --format csv -q \
	"SELECT count(*) || ' hosts in the table of hosts' AS n FROM hosts" |
	tail -1
netan export "$f" -o x.sqlite 2>&1 | grep -o '[0-9]* hosts'
# Of every connection, either way: those that differ have lost a last segment or
# a SYN, which come as if they were new, or packets of several segments.
for g in "$data"/*; do
	for n in 1 2 3; do
		for way in fwd rev; do
			netan tcp "$g" -q --connection $n --direction $way \
				-o y.json -o y.svg 2>/dev/null || continue
			python3 - "${g##*/} $n $way" $n $way <<'EOF'
import json
import sys

r = json.load(open("y.json"))["result"]
d = r["connections"][int(sys.argv[2]) - 1][sys.argv[3]]
marks = r.get("sequence", {}).get("mark_counts", {})
drawn = sum(marks.get(k, 0) for k in ("timeout", "fast", "other", "spurious"))
again = d["needed_retransmissions"] + d["needless_retransmissions"] \
    + d["open_retransmissions"]
if marks and drawn != again:
    print(sys.argv[1] + ":", drawn, "drawn of", again)
EOF
		done
	done
done
