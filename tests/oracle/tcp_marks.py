# What tshark 4.0 says of made-up connections, packet by packet:
#	python3 tests/oracle/tcp_marks.py >tests/oracle/tcp_marks.tsv
# A line is a packet, made by the seed alone, then tshark's answer.
# --pcap FILE [SEED [CONNECTIONS]] writes the packets as a capture instead.
import random
import struct
import subprocess
import sys
import tempfile

FIN, SYN, RST, PSH, ACK = 1, 2, 4, 8, 16
MARKS = [("retransmission", 1), ("fast_retransmission", 2 | 1),
         ("spurious_retransmission", 8 | 1), ("out_of_order", 16),
         ("lost_segment", 32), ("duplicate_ack", 64), ("zero_window", 128),
         ("window_full", 256), ("keep_alive", 512),
         ("zero_window_probe", 1 << 16), ("ack_lost_segment", 1 << 17),
         ("reused_ports", 1 << 18), ("keep_alive_ack", 1 << 19)]
M32 = 0xffffffff
GAPS = [0, 1, 20, 100, 900, 2500, 2999, 3000, 3100, 8000, 19999, 20000,
        30000, 210000, 1000000]


class Side:
    def __init__(self, rng):
        self.isn = rng.choice([rng.getrandbits(32), M32 - rng.randrange(9000),
                               1000])
        self.next = self.isn      # what it sends next
        self.sent = []            # (seq, len) of before
        self.window = rng.choice([65535, 8192, 500, 64])
        self.shift = rng.choice([255, 0, 2, 7])
        self.acked = 0            # what it acknowledges
        self.acked_any = False


class Connection:
    def __init__(self, rng, number):
        self.rng, self.number = rng, number
        self.side = [Side(rng), Side(rng)]
        self.step = rng.choice([GAPS, GAPS[:5], GAPS[2:9], GAPS[4:]])
        self.loss = rng.choice([0, .02, .15])
        self.wild = rng.choice([0, .05, .3])
        self.out = []

    def emit(self, d, flags, seq, ack, size=0, sack=(), shift=255):
        self.out.append([self.number, d, flags, seq & M32, ack & M32,
                         self.side[d].window & 0xffff, size, shift,
                         [x & M32 for x in sack]])

    def ack(self, d, sack=()):
        me = self.side[d]
        self.emit(d, ACK, me.next, me.acked, 0, sack)

    def start(self):
        rng, (a, b) = self.rng, self.side
        if rng.random() < .25:  # in mid-stream
            a.acked, b.acked = b.next, a.next
            return
        for _ in range(rng.choice([1, 1, 1, 1, 2])):
            self.emit(0, SYN, a.isn, 0, shift=a.shift)
        a.next += 1
        if rng.random() < .1:
            self.emit(1, SYN, b.isn, 0, shift=b.shift)
        if rng.random() < .9:
            self.emit(1, SYN | ACK, b.isn, a.next, shift=b.shift)
        b.next += 1
        a.acked, b.acked = b.next, a.next
        if rng.random() < .9:
            self.ack(0)

    def data(self, d):
        rng, me = self.rng, self.side[d]
        size = rng.choice([1, 2, 100, 536, 1448, 1448, 1448, 9000])
        if rng.random() < self.loss:  # never captured
            me.sent.append((me.next, size))
            me.next += size
            return
        if rng.random() < .1:  # right to the edge
            you = self.side[1 - d]
            scale = you.shift if max(you.shift, me.shift) < 255 else 0
            size = (you.acked + (you.window << scale) - me.next) & M32
            if not 0 < size < 60000:
                return
        self.emit(d, ACK | PSH, me.next, me.acked, size)
        me.sent.append((me.next, size))
        me.next += size

    def again(self, d):
        rng, me = self.rng, self.side[d]
        if not me.sent:
            return
        seq, size = rng.choice(me.sent[-12:])
        kind = rng.random()
        if kind < .15:
            seq, size = self.side[1 - d].acked, rng.choice([1, 500, 1448])
        elif kind < .3:
            seq, size = seq + size // 3, size - size // 3
        elif kind < .4:
            size += rng.choice([1, 700])
        if size > 0:
            self.emit(d, ACK, seq, me.acked, size)
            end = (seq + size - me.next) & M32
            if end < 1 << 31:
                me.next += end

    def take(self, d):
        """Acknowledge what the other side sent, or some of it."""
        rng, me, you = self.rng, self.side[d], self.side[1 - d]
        kind = rng.random()
        if kind < .5:
            me.acked = you.next
        elif you.sent:
            seq, size = rng.choice(you.sent[-6:])
            if kind < .75:
                me.acked = seq + size
            elif kind < .8:
                me.acked = seq + size // 2
        sack = ()
        if kind > .8 and you.sent:
            blocks = rng.sample(you.sent[-8:], min(len(you.sent), 4,
                                                   rng.randrange(1, 5)))
            sack = [x for s, n in blocks for x in (s, s + n)]
        for _ in range(rng.choice([1] * 12 + [2, 2, 5])):
            self.ack(d, sack)

    def recover(self, d):
        """A segment is lost, before or behind the capture point."""
        rng, me, you = self.rng, self.side[d], self.side[1 - d]
        hole = me.next
        if rng.random() < .5:
            self.emit(d, ACK, hole, me.acked, 1000)
        me.next += 1000
        for i in range(rng.choice([1, 2, 3, 5])):
            self.emit(d, ACK | PSH, me.next, me.acked, 1448)
            me.next += 1448
            if i or rng.random() < .8:
                you.acked = hole
                self.ack(1 - d, rng.choice([(), (hole + 1000, me.next)]))
        self.emit(d, ACK, hole, me.acked, rng.choice([1000, 1000, 500, 1448]))
        if rng.random() < .7:
            you.acked = me.next
            self.ack(1 - d)

    def odd(self, d):
        rng, me = self.rng, self.side[d]
        kind = rng.randrange(9)
        if kind == 0:
            self.emit(d, ACK, me.next - 1, me.acked, rng.randrange(2))
        elif kind == 1:
            me.window = 0
            self.ack(d)
        elif kind == 2:
            me.window = rng.choice([65535, 8192, 500, 64, 1448])
            self.ack(d)
        elif kind == 3:
            self.emit(d, ACK, me.next, me.acked, 1)
            if rng.random() < .5:
                me.sent.append((me.next, 1))
                me.next += 1
        elif kind == 4:
            self.emit(d, FIN | ACK, me.next, me.acked,
                      rng.choice([0, 0, 200]))
            if rng.random() < .7:
                me.next = self.out[-1][3] + self.out[-1][6] + 1
        elif kind == 5 and rng.random() < .3:
            self.emit(d, rng.choice([RST, RST | ACK]),
                      rng.choice([me.next, me.acked]),
                      rng.choice([0, me.acked]))
        elif kind == 6 and rng.random() < .3:
            self.emit(d, SYN, rng.choice([me.isn, me.isn + 70000]), 0,
                      shift=me.shift)
        elif kind == 7 and rng.random() < .3:
            self.emit(d, SYN | ACK, rng.choice([me.isn, me.isn + 5]),
                      me.acked, shift=rng.choice([255, 3]))
        elif kind == 8 and me.sent:
            self.emit(d, ACK, rng.choice(me.sent)[0], me.acked)

    def run(self, n):
        rng = self.rng
        self.start()
        lead = rng.choice([.1, .5, .9])
        while len(self.out) < n:
            d = int(rng.random() > lead)
            x = rng.random()
            if x < self.wild * .6:
                self.odd(d)
            elif x < self.wild:
                rng.choice([self.again, self.recover])(d)
            elif x < self.wild + (1 - self.wild) * .7:
                self.data(d)
            else:
                self.take(1 - d)
        return self.out


def packets(seed, connections):
    """All connections mixed, each in its own clock's steps."""
    rng = random.Random(seed)
    every, now = [], 1700000000000000
    for i in range(connections):
        c = Connection(rng, i)
        for p in c.run(rng.choice([3, 20, 60, 120])):
            now += rng.choice(c.step)
            every.append([now] + p)
        now += 5000000
    return every


def frame(p):
    _, number, d, flags, seq, ack, window, size, shift, sack = p
    options = b""
    if shift != 255:
        options += struct.pack(">BBBB", 1, 3, 3, shift)
    if sack:
        options += struct.pack(">BBBB", 1, 1, 5, 2 + 4 * len(sack))
        options += struct.pack(f">{len(sack)}I", *sack)
    tcp = struct.pack(">HHIIBBHHH", *((1000 + number, 80) if d == 0 else
                                      (80, 1000 + number)), seq, ack,
                      (20 + len(options)) // 4 << 4, flags, window, 0, 0)
    ends = [bytes([10, 0, 0, 1]), bytes([10, 0, 0, 2])]
    ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0,
                     40 + len(options) + size, 0, 0, 64, 6, 0,
                     ends[d], ends[1 - d])
    return ip + tcp + options, size


def write_pcap(f, every):
    f.write(struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 262144, 101))
    for p in every:
        head, size = frame(p)
        f.write(struct.pack("<IIII", p[0] // 1000000, p[0] % 1000000,
                            len(head), len(head) + size))
        f.write(head)


def ask(path):
    fields = (["tcp.stream"] + ["tcp.analysis." + k for k, _ in MARKS] +
              ["tcp.analysis.ack_rtt", "tcp.analysis.initial_rtt",
               "tcp.analysis.bytes_in_flight"])
    cmd = ["tshark", "-n", "-r", path, "-T", "fields", "-E", "occurrence=f",
           "-o", "tcp.desegment_tcp_streams:FALSE"]
    for f in fields:
        cmd += ["-e", f]
    out = subprocess.run(cmd, capture_output=True, text=True, check=True)
    for line in out.stdout.splitlines():
        w = line.split("\t")
        n = 1 + len(MARKS)
        marks = 0
        for (_, bit), said in zip(MARKS, w[1:n]):
            marks |= bit if said else 0
        yield w[0], marks, *w[n:n + 3]


def nanoseconds(s):
    if not s:
        return 0
    whole, _, part = s.partition(".")
    return int(whole) * 10**9 + int((part + "0" * 9)[:9])


def main():
    if sys.argv[1:2] == ["--pcap"]:
        seed, n = (int(x) for x in (sys.argv[3:] + ["1", "40"])[:2])
        with open(sys.argv[2], "wb") as f:
            write_pcap(f, packets(seed, n))
        return
    every = packets(4, 36)
    with tempfile.NamedTemporaryFile(suffix=".pcap") as f:
        write_pcap(f, every)
        f.flush()
        answers = list(ask(f.name))
    assert len(answers) == len(every)
    print("# time_us port dir flags seq ack window size shift sack"
          " | stream marks rtt_ns initial_rtt_ns in_flight")
    for p, (stream, marks, rtt, first, flight) in zip(every, answers):
        print(*p[:-1], ",".join(map(str, p[-1])) or "-", stream, marks,
              nanoseconds(rtt), nanoseconds(first), flight or 0, sep="\t")


main()
