# NCCL Inspector's logs tell ranks of communicators alone.  Where none is of
# the whole job, processes are told apart by host and process id, and what the
# communicators' ranks do is joined all the same; against what was simulated.
netan synth -q --profile pytorch --hosts 2 --devices 4 --steps 6 \
	--evidence inspector -o job
netan info job/inspector
netan info --format json job/inspector/*4002.log |
	grep -E '"(rank|world_size|process)"'
netan pairs job/inspector | sed -n 3,8p
if command -v python3 >/dev/null; then
	netan collectives --top 100000 --format json job/inspector >found.json
	python3 - <<'END'
import collections
import json


def name(x):
    return x["collective"].replace("_", "").lower()


truth = json.load(open("job/truth.json"))
ranks = {g["name"]: ",".join(map(str, g["ranks"])) for g in truth["groups"]}
wanted, found = (collections.defaultdict(list) for _ in "ab")
for x in truth["executions"]:
    wanted[ranks[x["group"]], name(x).replace("base", "")].append(
        (x["last_rank"], x["skew_ps"] / 1e6, x["transfer_ps"] / 1e6))
for x in json.load(open("found.json"))["result"]["executions"]:
    if x["collective"] != "SEND_RECV":
        found[x["group"], name(x)].append(
            (x["last_rank"], x["skew_us"], x["transfer_us"]))
n = off = 0
for key, rows in found.items():
    # Stamps of whole microseconds.
    for (a, s, t), (b, u, v) in zip(rows, wanted[key], strict=True):
        n += 1
        off += abs(s - u) > 3 or abs(t - v) > 3 or (a != b and u > 2)
print(n, "executions,", off, "beside the truth;", len(found), "groups")
END
fi
# With a communicator of all: its ranks, in whatever order they started.
mkdir whole
i=0
for f in job/inspector/*; do
	j=$((7 - i))
	sed "1{h;s/\"id\":\"[^\"]*\",\"rank\":[0-9]*,\"n_ranks\":[0-9]*/\"id\":\"0xall\",\"rank\":$j,\"n_ranks\":8/;p;g}" \
		"$f" >"whole/${f##*/}"
	i=$((i + 1))
done
netan info whole | sed '/^time/d'
netan collectives whole | sed -n 4,6p
# A rank twice; beside traces that tell ranks.
cp job/inspector/host-0-pid4001.log again.log
netan info again.log job/inspector/* 2>&1
netan synth -q --profile pytorch --hosts 2 --devices 4 --steps 6 -o traces
netan check traces/kineto job/inspector 2>&1
netan check traces/kineto whole 2>&1 | head -n 1
true
