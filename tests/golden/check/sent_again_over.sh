# A segment sent again in a window counts there, though its first copy was sent
# before the window and its ACK comes behind it, in a slice as in the capture.
# Where the capture itself begins or ends between these, nobody is acquitted.
command -v python3 >/dev/null || {
	echo "skip: no python3"
	exit 77
}
netan synth -q -o cap.pcap
for window in "0.1s 0.65s" "0.2s 0.5s" "0.25s 0.65s" "0.28s 0.6s"; do
	echo "== $window"
	netan check -q --from "${window% *}" --to "${window#* }" cap.pcap | sed -n 1p
done
echo "== slice"
netan slice -q --from 0.2s --to 0.5s -o slice.pcap cap.pcap 2>/dev/null
netan check -q slice.pcap | sed -n 1p
netan tcp -q --from 0.1s --to 0.65s --format json cap.pcap |
	grep -E '"(needed|open)_retransmissions": [1-9]'
echo "== packets alone"
netan slice -q --from 1s --to 3s --no-connections -o alone.pcap cap.pcap 2>/dev/null
netan check -q alone.pcap 2>/dev/null | sed -n 1p
# The same, from A to B seconds behind the first.
cat >cut.py <<'END'
import struct, sys
a, b = float(sys.argv[1]), float(sys.argv[2])
x = open("cap.pcap", "rb").read()
unit = 1e9 if x[:4] == b"\x4d\x3c\xb2\xa1" else 1e6
out, at, first = [x[:24]], 24, None
while at < len(x):
    s, f, n, _ = struct.unpack_from("<IIII", x, at)
    t = s + f / unit
    first = t if first is None else first
    if a <= t - first < b:
        out.append(x[at:at + 16 + n])
    at += 16 + n
open("cut.pcap", "wb").write(b"".join(out))
END
for cut in "0.202 0.65" "0.0709 0.65" "0.11 0.32"; do
	echo "== cut $cut"
	python3 cut.py $cut
	netan check -q cut.pcap | sed -n 1p
done
