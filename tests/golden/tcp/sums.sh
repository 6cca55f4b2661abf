# What is sent again is drawn as such and adds up, connection by connection; so
# does the time that is lost.
command -v python3 >/dev/null || { echo "skip: there is no python3"; exit 77; }
netan synth -q -o x.pcap --snaplen 96 --roce 0 --rpcs 0 --connections 8 \
	--size 3MB --condition loss --condition timeout
for n in 1 2 3 4 5 6 7 8; do
	netan tcp x.pcap -q --connection $n -o x.json -o x.svg
	python3 - $n <<'EOF'
import json
import sys

r = json.load(open("x.json"))["result"]
c, marks = r["connections"][int(sys.argv[1]) - 1], r["sequence"]["mark_counts"]
d = c[r["sequence"]["direction"]]
drawn = sum(marks[k] for k in ("timeout", "fast", "other", "spurious"))
again = d["lost_data_segments"] + d["needless_retransmissions"] \
    + d["open_retransmissions"]
both = [c[way] for way in ("fwd", "rev")]
took = sum(x["recovery_ms"] + x["timeout_ms"] for x in both)
print(c["verdict"], "drawn", drawn, "of", again, "sent again, out of order",
      marks["out_of_order"], "of", d["reordered"],
      "time" if abs(took - c["lost_ms"]) < 0.01 else
      "%.1f ms of %.1f" % (took, c["lost_ms"]))
EOF
done
