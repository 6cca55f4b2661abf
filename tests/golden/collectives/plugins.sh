# Files of profiler plugins of NCCL, in each of their forms: who came last, by
# how much, and how long the transfer took, exactly as the job was; whose
# files break off, with what is whole of them.
if ! command -v python3 >/dev/null; then
	echo "skip: python3 is not here"
	exit 77
fi
cat >compare.py <<'END'
"""Executions against the truth."""
import json
import sys

truth = {}
for line in open(sys.argv[1] + "/truth.tsv"):
    name, _, group, sequence, last, skew, transfer = line.split("\t")
    name = {"AllReduce": "ALL_REDUCE", "Broadcast": "BROADCAST"}[name]
    truth[name, group, int(sequence)] = (int(last), int(skew), int(transfer))
got = {(e["collective"], e["group"], e["sequence"]):
       (e["last_rank"], round(e["skew_us"], 3), round(e["transfer_us"], 3))
       for e in json.load(sys.stdin)["result"]["executions"]}
differ = [k for k in truth.keys() | got.keys() if truth.get(k) != got.get(k)]
print(sys.argv[1], len(truth), "executions,", len(differ), "differ")
END
for kind in comma old-comma plugin old-plugin; do
	python3 "$NETAN_ROOT/tests/oracle/profiler.py" $kind $kind
	netan collectives $kind/host*/* --format json 2>/dev/null |
		python3 compare.py $kind
	netan pairs $kind/host*/* --format json 2>/dev/null | python3 -c '
import json, sys
for p in json.load(sys.stdin)["result"]["pairs"]:
    print(p["src"], p["dst"], p["bytes"], p["count"], sep="\t")' | sort |
		diff $kind/sent.tsv - && echo "$kind sends as it should"
done
netan collectives plugin/host*/* | head -n 12
for kind in comma plugin; do
	for f in $kind/host0/*; do
		head -c 8000 "$f" | gzip >cut.gz
		netan info cut.gz --format json | sed -n '/"collectives"/p'
	done
done
