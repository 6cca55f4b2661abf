"""Hosts of our own: network namespaces, and between them the wire of
tests/accuracy/tcp, which loses, delays and queues frames as its rules say."""

import ctypes
import os
import signal
import subprocess
import tempfile
import time

CLONE_NEWNET, CLONE_NEWUTS, CLONE_NEWNS = 0x40000000, 0x04000000, 0x00020000
MS_BIND, MS_PRIVATE_ALL = 0x1000, 0x44000
PORTS = "10.9.0."  # host k of 1, 2, ... has PORTS + k


def run(*words, **more):
    return subprocess.run([str(w) for w in words], check=True,
                          stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, **more)


class Net:
    """n hosts, called h1, h2, ...; with `with`."""

    def __init__(self, wire, n, rules=(), captures=None):
        self.wire, self.n, self.rules = wire, n, rules
        self.captures = captures
        self.tag = f"nareal{os.getpid()}"
        self.running = []
        self.names = tempfile.NamedTemporaryFile("w", prefix=self.tag)
        self.names.write("127.0.0.1 localhost\n" + "".join(
            f"{self.address(k)} h{k}\n" for k in range(1, n + 1)))
        self.names.flush()

    def enter(self, host):
        """This process moves to a host, with a name of its own, which it
        knows as it knows those of the others."""
        libc = ctypes.CDLL(None, use_errno=True)
        name = f"h{host}".encode()
        with open("/run/netns/" + self.namespace(host)) as f:
            bad = libc.setns(f.fileno(), CLONE_NEWNET)
        if (bad or libc.unshare(CLONE_NEWUTS | CLONE_NEWNS) or
                libc.sethostname(name, len(name)) or
                libc.mount(b"none", b"/", None, MS_PRIVATE_ALL, None) or
                libc.mount(self.names.name.encode(), b"/etc/hosts", None,
                           MS_BIND, None)):
            raise OSError(ctypes.get_errno(), "no namespace of its own")

    def namespace(self, host):
        return f"{self.tag}-{host}"

    def address(self, host):
        return f"{PORTS}{host}"

    def link(self, host):
        inside, middle = self.namespace(host), self.namespace("m")
        run("ip", "netns", "add", inside)
        run("ip", "link", "add", "name", "e0", "address",
            f"02:00:00:00:09:0{host}", "netns", inside, "type", "veth",
            "peer", "name", f"p{host}", "netns", middle)
        lines = [f"addr add {self.address(host)}/24 dev e0",
                 "link set lo up", "link set e0 up"]
        lines += [f"neigh add {self.address(k)} lladdr 02:00:00:00:09:0{k} "
                  "dev e0 nud permanent"
                  for k in range(1, self.n + 1) if k != host]
        run("ip", "-n", inside, "-batch", "-", input="\n".join(lines),
            text=True)
        run("ip", "netns", "exec", inside, "sysctl", "-q", "-w",
            "net.ipv6.conf.all.disable_ipv6=1")
        run("ip", "netns", "exec", inside, "ethtool", "-K", "e0", "tso",
            "off", "gso", "off", "gro", "off", "tx", "off", "rx", "off")
        run("ip", "-n", middle, "link", "set", f"p{host}", "up")
        run("ip", "netns", "exec", middle, "sysctl", "-q", "-w",
            f"net.ipv6.conf.p{host}.disable_ipv6=1")

    def start(self, host, ready, *words):
        """A program in a host that says when it is ready."""
        p = subprocess.Popen(
            ["ip", "netns", "exec", self.namespace(host),
             *map(str, words)], stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True)
        self.running.append(p)
        for line in p.stdout:
            if ready in line:
                return
        raise RuntimeError(f"{words[0]} did not start")

    def __enter__(self):
        try:
            run("ip", "netns", "add", self.namespace("m"))
            devices = []
            for k in range(1, self.n + 1):
                self.link(k)
                devices += ["-i", f"p{k}"]
            self.start("m", "ready", self.wire, *devices, *self.rules)
            if self.captures:
                os.makedirs(self.captures, exist_ok=True)
                for k in range(1, self.n + 1):
                    self.start(k, "listening on", "tcpdump", "-i", "e0", "-n",
                               "-B", 65536, "-s", 128, "-Z", "root", "-w",
                               os.path.join(self.captures, f"h{k}.pcap"),
                               "tcp")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        time.sleep(0.3 if self.captures else 0)
        for p in reversed(self.running):
            p.send_signal(signal.SIGINT)
            try:
                p.wait(5)
            except subprocess.TimeoutExpired:
                p.kill()
                p.wait()
            p.stdout.close()
        self.names.close()
        for k in ["m", *range(1, self.n + 1)]:
            subprocess.run(["ip", "netns", "del", self.namespace(k)],
                           stderr=subprocess.DEVNULL, check=False)
