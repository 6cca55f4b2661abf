# Dumps of PyTorch's flight recorder with planted hangs: who is blamed, and
# that nobody is where nobody can be.
if ! command -v python3 >/dev/null; then
	echo "skip: python3 is not here"
	exit 77
fi
export PYTHONDONTWRITEBYTECODE=1
python3 "$NETAN_ROOT/tests/golden/hang/recorder_dumps.py"
for set in *; do
	netan hang "$set" -q --format json >"../$set.json"
	python3 - "$set" "../$set.json" <<'END'
import json
import sys

events = json.load(open(sys.argv[2]))["result"]["events"]
if not events:
    print(sys.argv[1], "no event")
for e in events:
    print(sys.argv[1], e["cause"],
          [(c["rank"], c["kind"]) for c in e["culprits"]],
          e["collective"], e["group"], e["sequence"],
          "missing", e["missing_ranks"], "overflow", e["overflow"])
    for c in e["chain"]:
        print("   ", c["waiting_ranks"], "for", c["waits_for"], c["group"])
    for o in e["undecided"]:
        print("    or", o["collective"], o["group"], o["sequence"],
              o["waiting_ranks"])
END
done
netan hang host_stuck
netan hang other_size
netan hang first_of_several
netan hang which_first
netan hang first_of_several --format csv | cut -d , -f 1-5
netan check which_first | head -n 11
netan check other_size | sed -n '/^Evidence/p'
netan check which_first --format json | grep -A 8 '"accused"'
netan export -q which_first -o ../which.sqlite
netan sql which_first -q --format csv "SELECT cause, culprit, group_title,
	sequence, collective, culprits ->> '$[0].pending' AS pending,
	undecided ->> '$[0].collective' AS or_before FROM hangs"
netan hang undecided --fail-on error
echo "status $?"
netan hang held_by_all --fail-on error
echo "status $?"
# A dump beside logs; one that breaks off; one that would call a function.
mkdir beside
cp pipeline/* beside
echo "step 1" >beside/rank0.log
head -c 700 pipeline/nccl_trace_rank_2 >beside/nccl_trace_rank_2
printf '\200\002}q\000(X\007\000\000\000versioncos\nsystem\n.' >beside/nccl_trace_rank_3
netan hang beside
echo "status $?"
cp pipeline/nccl_trace_rank_2 named_otherwise
netan hang named_otherwise | head -n 1
cp world_of_one/nccl_trace_rank_0 alone
netan hang alone
