# Of the dumps of two real jobs: each sequence that all ranks of a group still
# hold, who queued it last and by how much, as Python reads them.
[ -d "${NETAN_TEST_DATA-}/flight-recorder" ] || {
	echo "skip: NETAN_TEST_DATA has no flight-recorder"
	exit 77
}
command -v python3 >/dev/null || {
	echo "skip: no python3"
	exit 77
}
for set in gpu_error_1st lock_gil_1st; do
	dir=$NETAN_TEST_DATA/flight-recorder/$set
	netan collectives "$dir" --format json >"$set.json"
	python3 - "$dir" "$set.json" <<'PYTHON'
import collections, json, pickle, sys
held = collections.defaultdict(dict)
for rank in range(16):
    dump = pickle.load(open(f"{sys.argv[1]}/_dump_{rank}", "rb"))
    for e in dump["entries"]:
        group = dump["pg_config"][e["process_group"][0]]
        ranks = tuple(sorted(json.loads(group["ranks"])))
        if not e["is_p2p"]:
            held[ranks, group["desc"], e["collective_seq_id"]][rank] = \
                e["time_created_ns"]
wanted = collections.Counter()
for (ranks, desc, seq), at in held.items():
    if len(at) < len(ranks):
        continue
    last = max(at.values())
    who = min(r for r in at if at[r] == last)
    skew = last - min(at.values())
    wanted[",".join(map(str, ranks)), seq, who, skew] += 1
found = collections.Counter()
for x in json.load(open(sys.argv[2]))["result"]["executions"]:
    if x["collective"] != "SEND_RECV":
        found[x["group"], x["sequence"], x["last_rank"],
              round(x["skew_us"] * 1e3)] += 1
print(sum(found.values()), "of", sum(wanted.values()), "executions",
      "as wanted" if found == wanted else ("differ", found - wanted,
                                           wanted - found))
PYTHON
done
