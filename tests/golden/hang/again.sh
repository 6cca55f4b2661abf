# Dumps of the same rank twice: as pickle and as JSON, of two moments, and of
# two recorders that tell of other groups.  A rank is one.
netan synth -q --profile pytorch --hosts 2 --devices 2 --fault stuck-host:r3 \
	--evidence recorder --evidence recorder-json -o job
netan hang job/recorder job/recorder-json | head -n 1
netan hang job/recorder-json job/recorder | head -n 1
# Whose code is shown: first that of the one who never came, where it was last.
netan hang job/recorder | sed -n '/^waits/p;/^stack/,/^next/p'
if ! command -v python3 >/dev/null; then
	exit 0
fi
mkdir earlier apart
python3 - <<'END'
import glob
import json
import os

for path in sorted(glob.glob("job/recorder-json/*")):
    rank = int(path.rsplit("_", 1)[1].split(".")[0])
    with open(path) as f:
        dump = json.load(f)
    name = os.path.basename(path)
    # Of one group only, as the recorder of another backend tells them.
    for part in "ab":
        own = [e for e in dump["entries"]
               if (e["process_group"][1] == "default_pg") == (part == "a")]
        ids = {e["pg_id"] for e in own}
        if own:
            with open(f"apart/{part}_{name}", "w") as f:
                json.dump(dict(dump, entries=own, pg_status={
                    i: s for i, s in dump["pg_status"].items()
                    if int(i) in ids}), f)
    # Three seconds before, everybody was in the first operation.
    first = dump["entries"][0]
    for key in [k for k in first if k.endswith("_ns") and first[k]]:
        first[key] -= 3 * 10**9
    first.update(state="scheduled", retired=False,
                 time_discovered_completed_ns=0)
    with open(f"earlier/{name}", "w") as f:
        json.dump(dict(dump, entries=[first], pg_status={}), f)
END
netan hang earlier job/recorder | sed -n '1p;/moments/p'
netan hang earlier | head -n 1
netan hang apart | head -n 1
