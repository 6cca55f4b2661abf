"""A client that sends long requests, and a server that sends a few bytes every
300 ms all the while: chatty.py serve|call ADDRESS, on port 7000."""
import socket
import sys
import threading
import time

REQUEST, ANSWER, BEAT = 6000, 100, 40  # bytes
SECONDS = 9


def beat(s):
    while True:
        s.sendall(b"b" * BEAT)
        time.sleep(0.3)


def serve(address):
    s, _ = socket.create_server((address, 7000)).accept()
    s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    threading.Thread(target=beat, args=(s,), daemon=True).start()
    got = 0
    while x := s.recv(65536):
        got += len(x)
        while got >= REQUEST:
            got -= REQUEST
            s.sendall(b"a" * ANSWER)


def call(address):
    end = time.monotonic() + SECONDS
    s = socket.create_connection((address, 7000))
    s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    s.settimeout(0.15)
    while time.monotonic() < end:
        try:
            s.send(b"q" * REQUEST)
            while s.recv(65536):
                pass
        except TimeoutError:
            pass


{"serve": serve, "call": call}[sys.argv[1]](sys.argv[2])
