# RoCEv2 without TCP: what lies at 40 ms is no delayed acknowledgement, and no
# setting of TCP is accused. Waits of 3.9 to 4.9 s are not alike. Where the capture ends before an answer that takes
# longer than usual may have come, nobody says that it was a timeout.
command -v python3 >/dev/null || {
	echo "skip: no python3"
	exit 77
}
cat >make.py <<'END'
import random, struct, sys
MS = 10**6
def ip(a): return bytes(map(int, a.split(".")))
def packet(src, dst, opcode, qp, psn, asks, body):
    bth = struct.pack(">BBHII", opcode, 0x40, 0xffff, qp, asks << 31 | psn)
    udp = bth + body + bytes(4)
    udp = struct.pack(">HHHH", 50000, 4791, 8 + len(udp), 0) + udp
    head = struct.pack(">BBHHHBBH4s4s", 0x45, 2, 20 + len(udp), 0, 0x4000, 64,
                       17, 0, ip(src), ip(dst))
    n = sum(struct.unpack(">10H", head))
    n = (n & 0xffff) + (n >> 16)
    head = head[:10] + struct.pack(">H", ~n & 0xffff) + head[12:]
    return bytes([2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 8, 0]) + head + udp
def ask(t, i):
    return t, packet("10.0.0.1", "10.0.0.2", 10, 273, 100 + i, 1,
                     struct.pack(">QII", 0, 1, 1000) + bytes(1000))
def answer(t, i):
    return t, packet("10.0.0.2", "10.0.0.1", 17, 546, 100 + i, 0, bytes(4))
def other(t, i):
    return t, packet("10.0.0.3", "10.0.0.4", 10, 819, i, 0,
                     struct.pack(">QII", 0, 1, 1000) + bytes(1000))
def write(name, packets):
    with open(name, "wb") as f:
        f.write(struct.pack("<IHHiIII", 0xa1b23c4d, 2, 4, 0, 0, 65535, 1))
        for t, p in sorted(packets):
            f.write(struct.pack("<IIII", 1700000000 + t // 10**9, t % 10**9,
                                len(p), len(p)) + p)
def late(name, least, most):
    r, t, packets = random.Random(1), 0, []
    for i in range(1000):
        ns = int(1.5 * MS * r.uniform(.9, 1.1))
        if i % 150 == 5:
            ns = int((least + (most - least) * (i // 150) / 6) * MS)
        packets += ask(t, i), answer(t + ns, i)
        t += ns + MS
    write(name, packets)
def cut(name, silent_us):
    packets = [ask(20 * MS, 2), other(20 * MS + silent_us * 1000, 0)]
    for i in range(2):
        packets += ask(10 * MS * i, i), answer(10 * MS * i + 5 * MS, i)
    write(name, packets)
late("late40.pcap", 41, 44)
late("late4800.pcap", 4750, 4850)
late("scattered.pcap", 3850, 4950)
cut("soon.pcap", 4700)
cut("overdue.pcap", 25000)
END
python3 make.py
for at in late40 late4800 scattered; do
	echo "== $at"
	netan check -q "$at.pcap" | sed -n '/rpc-latency/,$p' | sed -n 1,4p
	netan rpc -q "$at.pcap" | sed -n 3p
done
for at in soon overdue; do
	echo "== $at"
	netan check -q "$at.pcap" | sed -n 1p
	netan rdma -q "$at.pcap" | sed -n 3p
done
