#!/usr/bin/python3
# Captures of how connections begin and end, one file for each case, seen at
# the client, cut to 96 bytes a packet:
#
#	python3 tests/oracle/tcp_ends.py DIR
#
# In each, 10.0.0.1 calls 10.0.0.2:80 400 times beside it, over ten connections
# that begin at 20 s and are well.
import os
import struct
import sys

SYN, FIN, RST, ACK = 2, 1, 4, 16
SYN_OPTIONS = b"\x02\x04\x05\xb4\x01\x03\x03\x00\x04\x02\x01\x01"
S = 1000000


class Wire:
    def __init__(self):
        self.packets, self.ports = [], 40000

    def put(self, at_us, src, dst, flags, size=0, seq=None, ack=None):
        seq = src.sent if seq is None else seq
        ack = dst.sent if ack is None else ack
        options = SYN_OPTIONS if flags & SYN else b""
        src.ip_id += 1
        tcp = struct.pack(">HHIIBBHHH", src.port, dst.port,
                          (src.isn + seq) % 2**32,
                          (dst.isn + ack) % 2**32 if flags & ACK else 0,
                          (20 + len(options)) // 4 << 4, flags, 64240, 0, 0)
        tcp += options
        ip = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(tcp) + size,
                         src.ip_id, 0, 64, 6, 0) + src.address + dst.address
        frame = bytes(12) + b"\x08\x00" + ip + tcp + bytes(size)
        src.sent = max(src.sent, seq + size + bool(flags & (SYN | FIN)))
        self.packets.append((at_us, frame))

    def write(self, path):
        self.packets.sort(key=lambda p: p[0])
        with open(path, "wb") as out:
            out.write(struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 96, 1))
            for at_us, frame in self.packets:
                cut = frame[:96]
                out.write(struct.pack("<IIII", 1000 + at_us // S, at_us % S,
                                      len(cut), len(frame)))
                out.write(cut)

    def two(self, port=80, client="10.0.0.1", server="10.0.0.2"):
        self.ports += 1
        return End(client, self.ports), End(server, port)


class End:
    def __init__(self, address, port):
        self.address = bytes(int(x) for x in address.split("."))
        self.port, self.isn, self.sent = port, 7 * port, 0
        self.ip_id = port % 1000


def shake(w, t, a, b):
    w.put(t, a, b, SYN)
    w.put(t + 400, b, a, SYN | ACK)
    w.put(t + 450, a, b, ACK)
    return t + 1000


def calls(w, t, a, b, n):
    for _ in range(n):
        w.put(t, a, b, ACK, 200)
        w.put(t + 600, b, a, ACK, 500)
        w.put(t + 650, a, b, ACK)
        t += 4000
    return t


def close(w, t, a, b):
    w.put(t, a, b, FIN | ACK)
    w.put(t + 400, b, a, FIN | ACK)
    w.put(t + 450, a, b, ACK)


def whole(w, t, a, b, n=40):
    close(w, calls(w, shake(w, t, a, b), a, b, n), a, b)


def healthy(w):
    for k in range(10):
        whole(w, 20 * S + 50000 * k, *w.two())


def refuse(w, t, ends):
    a, b = ends
    w.put(t, a, b, SYN)
    w.put(t + 400, b, a, RST | ACK)


# The listener is not up yet: one SYN, or one each second for 5 s.
def not_up(w):
    refuse(w, 0, w.two(90))
    whole(w, S, *w.two(90))


def not_up_5s(w):
    for t in range(5):
        refuse(w, t * S, w.two(90))
    whole(w, 5 * S, *w.two(90))


# The same for 90 s.
def long_down(w):
    for t in range(90):
        refuse(w, t * S, w.two(90))
    whole(w, 90 * S, *w.two(90))


# It was up, and is so again two seconds later.
def restarts(w):
    whole(w, 0, *w.two(90))
    refuse(w, 4 * S, w.two(90))
    refuse(w, 5 * S, w.two(90))
    whole(w, 6 * S, *w.two(90))


# The listener is never up; another client of it, or another port, is let in.
def never(w):
    for t in range(12):
        refuse(w, t * S, w.two(90))


def never_once(w):
    refuse(w, 0, w.two(90))


def other_client(w):
    for t in range(3):
        refuse(w, t * S, w.two(90))
    whole(w, 5 * S, *w.two(90, client="10.0.0.3"))


def other_port(w):
    refuse(w, 0, w.two(90))
    whole(w, 5 * S, *w.two(91))


# SYNs that are lost and sent again: once, or of five connections.
def syn_again(w, n=1):
    for k in range(n):
        a, b = w.two(90)
        w.put(k * S, a, b, SYN)
        w.put(k * S + S, a, b, SYN, seq=0)
        w.put(k * S + S + 400, b, a, SYN | ACK)
        w.put(k * S + S + 450, a, b, ACK)
        close(w, calls(w, k * S + S + 1000, a, b, 5), a, b)


def syns_again(w):
    syn_again(w, 5)


# Never answered; or not at first.
def unanswered(w):
    a, b = w.two(90)
    for t in (0, 1, 3, 7):
        w.put(t * S, a, b, SYN, seq=0)


def unanswered_each(w):
    for t in range(6):
        w.put(t * S, *w.two(90), SYN)


def answered_later(w):
    unanswered(w)
    whole(w, 15 * S, *w.two(90))


# Resets: the client's, with all answers; the server's, instead of an answer;
# the client's, that has waited 3 s for one; after one side has closed.
def reset_at_close(w):
    a, b = w.two(90)
    t = calls(w, shake(w, 0, a, b), a, b, 5)
    w.put(t - 3000, a, b, RST | ACK)


def reset_for_answer(w):
    a, b = w.two(90)
    t = calls(w, shake(w, 0, a, b), a, b, 5)
    w.put(t, a, b, ACK, 200)
    w.put(t + 400, b, a, ACK)
    w.put(t + 500, b, a, RST | ACK)


def reset_by_waiter(w):
    a, b = w.two(90)
    t = calls(w, shake(w, 0, a, b), a, b, 5)
    w.put(t, a, b, ACK, 200)
    w.put(t + 400, b, a, ACK)
    w.put(t + 3 * S, a, b, RST | ACK)


def half_closed(w):
    a, b = w.two(90)
    t = calls(w, shake(w, 0, a, b), a, b, 5)
    w.put(t, a, b, FIN | ACK)
    w.put(t + 400, b, a, ACK)
    w.put(t + 900, b, a, ACK, 500)
    w.put(t + 950, a, b, RST | ACK)


# The same, when it had its answer and asked nothing for 30 s.
def reset_idle(w):
    a, b = w.two()
    t = calls(w, shake(w, 0, a, b), a, b, 10)
    w.put(t + 30 * S, a, b, RST | ACK)


# Two ports of one host have no listener.
def two_doors(w):
    for t in range(3):
        refuse(w, t * S, w.two(90))
    refuse(w, 4 * S, w.two(91))


# The capture begins in the middle: a reset of a connection that was perhaps
# closed before; and one in the middle of calls.
def from_middle(w):
    a, b = w.two(90)
    a.sent = b.sent = 5000
    w.put(0, b, a, ACK, 500)
    w.put(50, a, b, RST)


def calls_from_middle(w):
    a, b = w.two(90)
    a.sent = b.sent = 5000
    t = calls(w, 0, a, b, 5)
    w.put(t, a, b, ACK, 200)
    w.put(t + 500, b, a, RST | ACK)


# The same, and the other one has sent its data again without an answer.
def gone_from_middle(w):
    a, b = w.two(90)
    a.sent = b.sent = 5000
    for k in range(10):
        w.put(k * 10, b, a, ACK, 1000)
    for t in (1, 3):
        for k in range(10):
            w.put(t * S + k * 10, b, a, ACK, 1000, seq=5000 + 1000 * k)
    w.put(8 * S, a, b, RST)


# Refused once; SYNs at the very end of the capture are not unanswered for as
# long as that is ago.
def refused_and_last(w):
    refuse(w, 15 * S, w.two(90))
    for k in range(3):
        w.put(20460000 + 5000 * k, *w.two(90), SYN)


CASES = [not_up, not_up_5s, long_down, restarts, never, never_once,
         other_client, other_port, syn_again, syns_again, unanswered,
         unanswered_each, answered_later, reset_at_close, reset_for_answer,
         reset_by_waiter, reset_idle, two_doors, half_closed, from_middle,
         calls_from_middle, gone_from_middle, refused_and_last]

if __name__ == "__main__":
    for case in CASES:
        wire = Wire()
        healthy(wire)
        case(wire)
        wire.write(os.path.join(sys.argv[1], case.__name__ + ".pcap"))
