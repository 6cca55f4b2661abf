# What tshark's dissector of InfiniBand says of the queue pairs of captures,
# and what follows from its fields by the rules that `netan help rdma` states,
# written down a second time:
#	python3 tests/oracle/rdma.py NETAN FOLDER >tests/oracle/rdma.tsv
# FOLDER/pcap holds the real capture; NETAN makes the others, as
# tests/unit/test_rdma_oracle.c does.
import collections
import os
import subprocess
import sys
import tempfile

FIELDS = ["frame.time_epoch", "ip.src", "ip.dst", "ip.dsfield.ecn",
          "infiniband.bth.opcode", "infiniband.bth.destqp",
          "infiniband.bth.psn", "infiniband.aeth.syndrome.opcode",
          "infiniband.aeth.syndrome.error_code", "data.len",
          "infiniband.bth.padcnt"]
COLUMNS = ("packets bytes messages repeats needed sequence "
           "receiver_not_ready other timeouts ecn cnps").split()
RESPONSES = range(13, 17)  # of a READ
ENDS = {2, 3, 4, 5, 8, 9, 10, 11, 19, 20}
CNP, ACK, SILENCE_NS = 129, 17, 500000


def packets(path):
    # A source port of 69 would be taken for TFTP.
    out = subprocess.run(
        ["tshark", "--disable-protocol", "tftp", "-r", path, "-Y", "infiniband", "-T", "fields"] +
        [x for f in FIELDS for x in ("-e", f)],
        check=True, capture_output=True, text=True).stdout
    for line in out.splitlines():
        t, src, dst, ecn, op, qp, psn, kind, error, n, pad = line.split("\t")
        whole, part = t.split(".")
        yield (int(whole) * 10**9 + int(part), src, dst, int(ecn), int(op),
               int(qp, 0), int(psn or 0), kind, error,
               int(n or 0) - int(pad or 0) if n else 0)


def follow(path):
    """Each queue pair is one way between two hosts that have no other."""
    rows = collections.OrderedDict()
    state = collections.defaultdict(
        lambda: dict(front=None, last=None, at=0, nak=None, ends=set(),
                     run=False))
    way = {}
    for t, src, dst, ecn, op, qp, psn, kind, error, n in packets(path):
        back = rows.get(way.get((dst, src)))
        if op == CNP:
            rows[way[dst, src]]["cnps"] += 1
            continue
        if op in (ACK, 18):
            if back is not None and op == ACK and kind in ("1", "3"):
                name = ("receiver_not_ready" if kind == "1" else
                        "sequence" if error == "0" else "other")
                back[name] += 1
                state[way[dst, src], False]["nak"] = (name, psn)
            continue
        key = (src, dst, qp)
        row = rows.setdefault(key, dict.fromkeys(COLUMNS, 0))
        response = op in RESPONSES
        if not response:
            way[src, dst] = key
        s = state[key, response]
        row["packets"] += 1
        row["bytes"] += n
        row["ecn"] += ecn == 3
        if s["last"] is None:
            s["last"] = psn
        at = s["at"] + ((psn - s["last"] + 2**23) % 2**24 - 2**23)
        if s["front"] is not None and at <= s["front"]:
            row["repeats"] += 1
            if at <= s["at"] or not s["run"]:  # goes back
                asked = s["nak"] and s["nak"][1] == psn and s["nak"][0]
                if asked == "sequence":
                    row["needed"] += 1
                elif not asked and t - s["time"] >= SILENCE_NS:
                    row["timeouts"] += 1
                    row["needed"] += 1
                s["nak"] = None
            s["run"] = True
        else:
            s["front"] = at
            s["run"] = False
        if op in ENDS and at not in s["ends"]:
            s["ends"].add(at)
            row["messages"] += 1
        if op in (15, 16) and at not in s["ends"]:
            s["ends"].add(at)
            rows[way[dst, src]]["messages"] += 1
        s["last"], s["at"], s["time"] = psn, at, t
    return rows


MADE = [(seed, word) for seed in (3, 4) for word in
        ("roce-mixed", "healthy", "roce-loss", "roce-timeout",
         "receiver-not-ready", "congestion")]
print("# capture src dst qp", *COLUMNS)
with tempfile.TemporaryDirectory() as folder:
    todo = [("rocev2_send_sport69.pcap",
             os.path.join(sys.argv[2], "pcap", "rocev2_send_sport69.pcap"))]
    for seed, word in MADE:
        path = os.path.join(folder, f"{seed}-{word}.pcap")
        subprocess.run([sys.argv[1], "synth", "-q", "-o", path, "--seed",
                        str(seed), "--connections", "0", "--rpcs", "0",
                        "--roce", "400", "--hosts", "9", "--condition", word],
                       check=True)
        todo.append((f"{seed} {word}", path))
    for name, path in todo:
        for key, row in follow(path).items():
            print(name, *key, *(row[c] for c in COLUMNS), sep="\t")
