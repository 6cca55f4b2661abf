#!/usr/bin/python3
# A little capture of three TCP connections at times of our choice, seen at
# the sender, cut to 96 bytes a packet:
#
#	python3 tests/oracle/tcp_capture.py tests/data/tcp.pcap
#
#   10.0.0.1:40000 > 10.0.0.2:5001  80 segments; the 10th is lost and sent
#                                   again fast, the 40th after 210 ms
#   10.0.0.3:40001 > 10.0.0.4:80    30 segments; before the 15th the window
#                                   is closed for 500 ms
#   [fd00::5]:40002 > [fd00::6]:443 a request and an answer
import struct
import sys

SYN, FIN, PSH, ACK = 2, 1, 8, 16
packets = []


def v6(text):
    head, tail = text.split("::")
    return struct.pack(">H", int(head, 16)) + bytes(13) + bytes([int(tail)])


class End:
    def __init__(self, address, port, isn):
        self.v6 = ":" in address
        self.address = v6(address) if self.v6 else \
            bytes(int(x) for x in address.split("."))
        self.port, self.isn, self.sent = port, isn, 0


def put(at_us, src, dst, flags, size=0, seq=None, ack=None, window=64240,
        options=b""):
    seq = src.sent if seq is None else seq
    ack = dst.sent if ack is None else ack
    options += bytes(-len(options) % 4)
    tcp = struct.pack(">HHIIBBHHH", src.port, dst.port,
                      (src.isn + seq) % 2**32,
                      (dst.isn + ack) % 2**32 if flags & ACK else 0,
                      (20 + len(options)) // 4 << 4, flags, window, 0, 0)
    tcp += options
    if src.v6:
        ip = struct.pack(">IHBB", 6 << 28, len(tcp) + size, 6, 64)
        ip += src.address + dst.address
    else:
        ip = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(tcp) + size, 0, 0, 64,
                         6, 0) + src.address + dst.address
    frame = bytes(12) + (b"\x86\xdd" if src.v6 else b"\x08\x00")
    frame += ip + tcp + bytes(size)
    src.sent = max(src.sent, seq + size + bool(flags & (SYN | FIN)))
    packets.append((at_us, frame))


SYN_OPTIONS = b"\x02\x04\x05\xb4\x01\x03\x03\x00\x04\x02\x01\x01"


def shake(t, a, b):
    put(t, a, b, SYN, options=SYN_OPTIONS)
    put(t + 10000, b, a, SYN | ACK, options=SYN_OPTIONS)
    put(t + 10100, a, b, ACK)
    return t + 11000


def sack(first, last):
    return struct.pack(">BBBBII", 1, 1, 5, 10, first, last)


def lossy(t):
    a, b = End("10.0.0.1", 40000, 7), End("10.0.0.2", 5001, 2**32 - 3000)
    t = shake(t, a, b)
    for i in range(80):
        seq = a.sent
        put(t, a, b, ACK, 1000)
        if i == 10:
            for k in range(4):
                t += 500
                put(t, a, b, ACK, 1000)
            for k in range(4):
                put(t + 10000 + 500 * k, b, a, ACK, ack=seq,
                    options=sack((a.isn + seq + 1000) % 2**32,
                                 (a.isn + seq + 2000 + 1000 * k) % 2**32))
            t += 12000
            put(t, a, b, ACK, 1000, seq=seq)
        elif i == 40:
            t += 210000
            put(t, a, b, ACK, 1000, seq=seq)
        put(t + 10000, b, a, ACK, ack=a.sent)
        t += 10500
    put(t, a, b, FIN | ACK)
    put(t + 10000, b, a, FIN | ACK)
    put(t + 10100, a, b, ACK)


def slow_receiver(t):
    a, b = End("10.0.0.3", 40001, 100), End("10.0.0.4", 80, 200)
    t = shake(t, a, b)
    for i in range(30):
        put(t, a, b, ACK | PSH, 1400)
        put(t + 1000, b, a, ACK, window=0 if i == 14 else 30000)
        t += 2000
        if i == 14:
            t += 500000
            put(t, b, a, ACK, window=30000)
            t += 100


def short(t):
    a, b = End("fd00::5", 40002, 1), End("fd00::6", 443, 1)
    t = shake(t, a, b)
    put(t, a, b, ACK | PSH, 300)
    put(t + 12000, b, a, ACK | PSH, 900)
    put(t + 12100, a, b, ACK)


lossy(0)
slow_receiver(3000)
short(50000)
packets.sort(key=lambda p: p[0])
with open(sys.argv[1], "wb") as out:
    out.write(struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 96, 1))
    for at, frame in packets:
        at += 1700000000 * 10**6
        out.write(struct.pack("<IIII", at // 10**6, at % 10**6,
                              min(len(frame), 96), len(frame)))
        out.write(frame[:96])
