# What tshark and tcptrace say of the TCP connections of real captures, from
# their truth files:
#	python3 tests/oracle/tcp_real.py FOLDER/truth >tests/oracle/tcp_real.tsv
# tests/unit/test_tcp_real.c reads the captures themselves, where they are.
import glob
import json
import os
import sys

COUNTS = ["packets", "frame_bytes", "payload_bytes", "data_packets",
          "any_retransmission", "fast_retransmission",
          "spurious_retransmission", "out_of_order", "lost_segment",
          "duplicate_ack", "zero_window", "window_full", "keep_alive"]


def seen_twice(truth, stream):
    """tcptrace's bytes sent again, of the connection with these ends."""
    for c in truth.get("tcptrace", {}).get("connections_top10_by_data", []):
        for turned in (0, 1):
            if [stream["a"], stream["b"]] == c["hosts"][::1 - 2 * turned]:
                return [int(x) for x in
                        c["rexmt data bytes"][::1 - 2 * turned]]
    return [-1, -1]


def nanoseconds(s):
    return -1 if s is None else round(s * 1e9)


print("# file stream dir", *COUNTS,
      "rexmt_bytes rtts min_ns p50_ns p99_ns initial_rtt_ns")
for path in sorted(glob.glob(os.path.join(sys.argv[1], "*.pcap*.json"))):
    with open(path) as f:
        truth = json.load(f)
    for s in sorted(truth.get("tcp_streams_top20_by_bytes", []),
                    key=lambda s: s["stream"]):
        again = seen_twice(truth, s)
        for d, way, answers in ((0, "a_to_b", "ack_rtt_s_acks_from_b"),
                                (1, "b_to_a", "ack_rtt_s_acks_from_a")):
            rtt = s.get(answers) or {"n": 0}
            print(os.path.basename(path)[:-5], s["stream"], d,
                  *(s.get(way, {}).get(k, 0) for k in COUNTS), again[d],
                  rtt["n"], *(nanoseconds(rtt.get(k))
                              for k in ("min", "p50", "p99")),
                  nanoseconds(s["initial_rtt_s"]), sep="\t")
