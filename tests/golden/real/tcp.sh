# On real captures, connections agree with tshark: packets, bytes and marks of
# both ways; and those that lose packets are said to.  What tshark calls
# retransmitted or out of order are the packets that are lost, needless,
# undecided, reordered or doubled here; listed are those that differ: packets
# that hold several segments, doubled ACKs, and one that fills a hole which was
# acknowledged before.
data=${NETAN_TEST_DATA-}
if [ ! -d "$data/pcap" ] || ! command -v python3 >/dev/null; then
	echo "skip: NETAN_TEST_DATA does not name the folder of real files"
	exit 77
fi
for f in "$data"/pcap/*; do
	netan tcp "$f" --top 100000 --format json -q >got.json 2>/dev/null
	python3 - "$data/truth/${f##*/}.json" got.json <<'EOF'
import json
import sys

MARKS = {"packets": "packets", "payload_bytes": "bytes",
         "frame_bytes": "wire_bytes", "data_packets": "data_packets",
         "any_retransmission": "total", "fast_retransmission": "fast",
         "spurious_retransmission": "spurious", "out_of_order": "out_of_order",
         "lost_segment": "lost_before", "duplicate_ack": "duplicate_acks",
         "zero_window": "zero_windows", "window_full": "window_full"}
truth = json.load(open(sys.argv[1]))
got = json.load(open(sys.argv[2]))["result"]["connections"]


def address(x):
    host, port = x.rsplit(":", 1)
    return f"[{host}]:{port}" if ":" in host else x


def agrees(stream, c):
    for way, own in ("a_to_b", "fwd"), ("b_to_a", "rev"):
        mine = dict(c[own], **c[own]["retransmissions"])
        for name, field in MARKS.items():
            if stream[way].get(name, 0) != mine[field]:
                return f"{own} {name}: {stream[way].get(name, 0)}, not " \
                    f"{mine[field]}"
    return None


n = 0
for s in truth.get("tcp_streams_top20_by_bytes", []):
    ends = address(s["a"]), address(s["b"])
    found = [agrees(s, c) for c in got if (c["src"], c["dst"]) == ends]
    if None in found:
        n += 1
    else:
        print(truth["name"], *ends, found)
for c in got:
    if any(c[way]["retransmissions"]["total"] for way in ("fwd", "rev")):
        print(truth["name"], c["src"], c["dst"], c["verdict"])
    for own in "fwd", "rev":
        d = c[own]
        marks = d["retransmissions"]["total"] + d["out_of_order"]
        told = sum(d[k] for k in (
            "needed_retransmissions", "needless_retransmissions",
            "open_retransmissions", "reordered", "duplicated", "copies"))
        if marks != told:
            print(truth["name"], c["src"], own, marks, "marks,", told, "told,",
                  d["data_segments"], "segments in", d["data_packets"])
        # What was lost before the capture point is no packet of tshark's: those
        # that it calls retransmitted or out of order, and not spurious, are
        # the only ones that tell of them.
        if d["unseen_data_segments"]:
            again = marks - d["retransmissions"]["spurious"]
            print(truth["name"], c["src"], own, d["lost_data_segments"], "of",
                  d["data_segments"], "lost: tshark has", d["data_packets"],
                  "with payload,", again, "of them again")
        if d["black_hole"]:
            print(truth["name"], c["src"], own, "black hole", d["lengths"])
print(truth["name"], n, "connections agree")
EOF
done
# tshark: nothing of 192.168.72.14 in the last 80.9 s of its connection.
netan tcp "$data/pcap/tcp_http_range_zero_window.pcap" --format json -q \
	2>/dev/null | grep -o 'silent for the last [0-9.]* [mu]*s'
# Where the capture point is, of one connection alone and beside others, which
# were nearer now and then, and in check: the same.
for command in tcp "tcp --src 65.49.68.25:50053 --dst 10.132.0.23:37898" check; do
	netan $command -q "$data/pcap/vlan_tcp_loss.pcap" 2>/dev/null |
		grep -o '([0-9.]* [mu]*s of a round trip of [0-9.]* [mu]*s)' | head -1
done
