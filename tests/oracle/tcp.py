# Verdicts of connections by the rules that `netan help tcp` states, written
# down a second time, in exact fractions:
#	python3 tests/oracle/tcp.py >tests/oracle/tcp.tsv
import random
from fractions import Fraction as F

NAMES = ("bytes unique data_packets retransmissions spurious fast timeouts "
         "timeout_us recovery_us zero_windows zero_us full_us idle_us rtt_us in_flight "
         "window").split()


def direction(r, span):
    part = lambda: r.choice([0, 0, 0, r.randrange(span // 3 + 1)])
    d = dict.fromkeys(NAMES, 0)
    d["bytes"] = r.choice([0, r.randrange(3000000), r.randrange(3000000)])
    d["unique"] = d["bytes"] - d["bytes"] // 50
    d["data_packets"] = d["bytes"] // 1000
    if d["bytes"]:
        d["retransmissions"] = r.choice([0, 0, 0, 1, 2, 3, 4, 40])
        d["spurious"] = r.randrange(d["retransmissions"] + 1)
        d["fast"] = r.randrange(d["retransmissions"] + 1)
        d["timeouts"] = r.choice([0, 0, 0, 0, 1, 5])
        d["timeout_us"] = part() if d["timeouts"] else 0
        d["recovery_us"] = part() if d["retransmissions"] else 0
        d["zero_us"] = part()
        d["full_us"] = part()
    d["zero_windows"] = r.choice([0, 0, 0, 7])
    d["idle_us"] = r.choice([0, r.randrange(span + 1), r.randrange(span + 1)])
    d["rtt_us"] = r.choice([-1, 50, 2000, 80000])
    d["window"] = r.choice([0, 65536, 400000])
    d["in_flight"] = r.randrange(d["window"] + 1) if r.randrange(2) \
        else d["window"]
    return d


def judge(span, d, initial):
    rtt = max(initial, sum(x["rtt_us"] for x in d if x["rtt_us"] >= 0), 0)
    busy = 1 if d[1]["bytes"] > d[0]["bytes"] else 0
    idler = busy
    if d[0]["bytes"] and d[1]["bytes"] and \
            d[1 - busy]["idle_us"] < d[busy]["idle_us"]:
        idler = 1 - busy
    idle = min(max(d[idler]["idle_us"] - d[idler]["zero_us"], 0), span)
    active = span - idle
    cost = dict.fromkeys(["timeout_bound", "receiver_too_slow",
                          "network_loss", "window_limited"], 0)
    holds = dict.fromkeys(cost, False)
    lost = 0
    for i in 0, 1:
        x, peer = d[i], d[1 - i]
        recovery = x["recovery_us"]
        cost["timeout_bound"] += x["timeout_us"]
        cost["network_loss"] += recovery
        cost["receiver_too_slow"] += x["zero_us"]
        shut = peer["zero_windows"] > 0
        cost["receiver_too_slow" if shut else "window_limited"] += x["full_us"]
        lost += recovery + x["timeout_us"] + x["zero_us"] + x["full_us"]
        needed = x["retransmissions"] - x["spurious"]
        if x["timeouts"] or (needed >= (1 if x["fast"] else 3) and
                             needed >= F(1, 1000) * x["data_packets"]):
            holds["network_loss"] = True
        w = peer["window"]
        if not shut and w and rtt > 0 and active > 0 and \
                x["unique"] >= 65536 and x["unique"] >= 4 * w and \
                x["in_flight"] >= F(9, 10) * w and \
                F(x["unique"], active) >= F(8, 10) * F(w, rtt):
            holds["window_limited"] = True
            cost["window_limited"] = max(cost["window_limited"], active)
    share = lambda v: cost[v] > 0 and cost[v] >= F(1, 10) * active
    timers, recovery = cost["timeout_bound"], cost["network_loss"]
    if (d[0]["timeouts"] or d[1]["timeouts"]) and share("timeout_bound") and \
            (timers >= recovery or timers >= F(3, 10) * active):
        holds["timeout_bound"] = True
    cost["timeout_bound"] = cost["network_loss"] = timers + recovery
    if (d[0]["zero_windows"] or d[1]["zero_windows"]) and \
            share("receiver_too_slow"):
        holds["receiver_too_slow"] = True
    if share("window_limited"):
        holds["window_limited"] = True
    found = [v for v in cost if holds[v] and v != "window_limited"] or \
        [v for v in cost if holds[v]]
    if found:
        verdict = max(found, key=lambda v: cost[v])  # the first of equals
    elif idle > 0 and 2 * idle >= span:
        verdict = "sender_idle"
    else:
        verdict = "healthy"
    return verdict, active, min(lost, span)


r = random.Random(4)
print("# duration_us, initial_rtt_us; twice:", " ".join(NAMES) +
      "; verdict active_us lost_us")
for _ in range(400):
    span = r.choice([0, 1000, 5000000, 60000000])
    d = [direction(r, span), direction(r, span)]
    initial = r.choice([-1, 3000, 90000])
    print(span, initial, *[x[n] for x in d for n in NAMES],
          *judge(span, d, initial), sep="\t")
