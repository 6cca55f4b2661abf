# Recorder dumps of real jobs with faults that were injected: exactly the
# ranks and kinds of the truth are blamed, from pickles and from JSON.
data=${NETAN_TEST_DATA-}
if [ ! -d "$data/flight-recorder" ] || ! command -v python3 >/dev/null; then
	echo "skip: NETAN_TEST_DATA does not name the folder of real files"
	exit 77
fi
cat >json_of.py <<'END'
"""Pickles as the JSON form of the same dumps."""
import glob
import json
import os
import pickle
import sys

for path in glob.glob(sys.argv[1] + "/_dump_*"):
    d = pickle.load(open(path, "rb"))
    for status in d["pg_status"].values():
        status.update({k: str(v) for k, v in status.items()})
    for e in d["entries"]:
        e.update({k: 0 for k in e if k.startswith("time_") and e[k] is None})
    if not d["entries"]:
        del d["entries"]
    with open(os.path.basename(path), "w", encoding="ascii") as f:
        json.dump(d, f, sort_keys=True)
END
cat >compare.py <<'END'
"""Who is blamed, against the truth."""
import json
import sys

name, truth, got = sys.argv[1:]
truth = json.load(open(truth))["sets"][name]
events = json.load(open(got))["result"]["events"]
blamed = sorted((c["rank"], c["kind"]) for e in events for c in e["culprits"])
agrees = blamed == [(r, truth["kind"]) for r in truth["ranks"]]
print(name, "agrees" if agrees else "differs", blamed)
END
for set in gpu_error_1st lock_gil_1st; do
	mkdir $set
	(cd $set && python3 ../json_of.py "$data/flight-recorder/$set")
	for dir in "$data/flight-recorder/$set" $set; do
		netan hang "$dir" --format json -q >got.json
		python3 compare.py $set "$data/truth/flight-recorder.json" got.json
		netan hang "$dir"
	done
done
