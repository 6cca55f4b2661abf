# A trace for Perfetto, read again by a program that knows its format alone:
# its structure, and that it holds what the other commands count.
command -v python3 >/dev/null || { echo "skip: no python3"; exit 77; }
cat >same.py <<'PYTHON'
import collections, os, subprocess, sys
sys.dont_write_bytecode = True
sys.path.insert(0, os.environ["NETAN_ROOT"] + "/tests/real")
from pftraces import COUNTER, BEGIN, INSTANT, Trace
path, *session = sys.argv[1:]
t = Trace(path)
wrong = [l for l in t.lines() if l.startswith("WRONG")]
def sql(query):
    out = subprocess.run(["netan", "sql", "-q", *session, query, "--format",
                          "csv"], stdout=subprocess.PIPE, text=True).stdout
    return [l.split(",") for l in out.split("\n")[1:-1]]
count, amount, level = (collections.Counter() for _ in range(3))
last = {}
for at, _, kind, track, *_, notes, value in t.events:
    name, top = t.tracks[track][0], t.tracks[t.top(track)][3]
    if kind in (BEGIN, INSTANT):
        count[kind, name] += 1
        amount[kind, name] += notes.get("bytes", 0)
    if kind == COUNTER and top and name in ("rx", "tx"):
        before, was = last.get(track, (at, 0))
        level[name] += was * (at - before) / 8
        last[track] = at, value
def same(what, a, b):
    print("same" if a == b else "DIFFERENT", what, a, *[b] * (a != b))
for table, name, counter in ("transfers", "receives", "rx"), \
        ("sends", "sends", "tx"):
    (n, size), = sql(f"SELECT count(*), sum(bytes) FROM {table}")
    same(table, count[BEGIN, name], int(n))
    same("bytes", amount[BEGIN, name], int(size))
    if abs(level[counter] - int(size)) > 1e-6 * int(size):
        print("DIFFERENT area", counter, level[counter], size)
for what, kind, name, query in (
        ("instants", INSTANT, "receives", "instants WHERE side = 'rx'"),
        ("findings and the verdict", INSTANT, "netan",
         "(SELECT id FROM findings UNION ALL SELECT 1)")):
    same(what, count[kind, name], int(sql(f"SELECT count(*) FROM {query}")[0][0]))
(n,), = sql("SELECT count(*) FROM executions JOIN collectives "
            "USING (collective) WHERE network = 'dcn'")
same("executions", sum(e[2] == BEGIN and e[5] == "collective" and
                       "TPU" not in t.path(e[3]) for e in t.events), int(n))
# One that no transfer ends in has none; those that overlap end in order.
ids = {e[8] for e in t.events if e[5] == "transfer" and e[8]}
mine = [e[8] for e in t.events if e[2] == BEGIN and e[5] == "collective" and
        "TPU" not in t.path(e[3])]
print("with the id of their transfers:", sum(i in ids for i in mine), "of",
      len(mine))
(origin,), = sql("SELECT origin_unix_ns FROM origin")
same("origin", t.clocks[0][1] - t.clocks[0][6], int(origin))
print(*wrong, sep="\n", end="")
PYTHON
read_it() { python3 "$NETAN_ROOT/tests/real/pftraces.py" "$@"; }
netan synth -q -o s --run r --hosts 3 --devices 2 --steps 4 --ici 1 \
	--fault slow-sender:1:3 --fault no-latency:0:7 --fault loopback:2:5
netan export s -o s.pftrace -o s.pftrace.gz
gzip -dc s.pftrace.gz | cmp - s.pftrace && echo "packed: the same"
netan export -q -j 1 s -o one.pftrace
cmp one.pftrace s.pftrace && echo "one thread: the same"
read_it s.pftrace
python3 same.py s.pftrace s
for filter in '--from 100ms --to 200ms' '--host host-1' '--step 2-3'; do
	echo "== $filter"
	netan export -q s $filter -o f.pftrace
	python3 same.py f.pftrace $filter s | grep -v executions
done
# A clock that is 5 ms ahead is corrected, and that is said.
echo "== clocks"
netan synth -q -o c --run r --hosts 3 --devices 1 --steps 3 \
	--fault clock:1:5ms
netan export -q c -o c.pftrace
read_it c.pftrace | grep -e flows -e executions -e WRONG
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$NETAN_ROOT/tests/real python3 -c '
from pftraces import *
for name, _, _, _, what in Trace("c.pftrace").tracks.values():
    if what: print(name, what)'
# Ranks: who takes part in an execution, and who sends whom.
echo "== ranks"
netan synth -q -o g --profile pytorch --hosts 4 --devices 2 --steps 2
netan export g/kineto -o g.pftrace
read_it g.pftrace | grep -e 'rank 5' -e flows -e executions -e WRONG
# One whose recorder holds nothing has its track: the others wait for it.
echo "== a rank that did nothing"
netan synth -q -o d --profile pytorch --evidence recorder-json --hosts 2 \
	--devices 2 --steps 2
python3 - d/recorder-json/*_2* <<'PYTHON'
import json, sys
dump = json.load(open(sys.argv[1]))
dump["entries"] = []
json.dump(dump, open(sys.argv[1], "w"))
PYTHON
netan export -q d/recorder-json -o d.pftrace
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$NETAN_ROOT/tests/real python3 -c '
from pftraces import *
for name, _, _, process, _ in Trace("d.pftrace").tracks.values():
    if process: print(name)' | sort
# Where the line of one device tells no steps, runs of its program stand in for
# them, as in netan steps; where it does they are its steps alone.
echo "== steps of one host alone"
netan synth -q -o m --run r --hosts 2 --devices 1 --steps 3 --only host-0
netan synth -q -o n --run r --hosts 2 --devices 1 --steps 3 --only host-1 \
	--without steps
mv n/plugins/profile/r/*.pb m/plugins/profile/r
netan export -q m -o m.pftrace
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$NETAN_ROOT/tests/real python3 -c '
import collections
from pftraces import *
t = Trace("m.pftrace")
n = collections.Counter(t.path(e[3]) for e in t.events
                        if e[2] == BEGIN and "steps" in t.path(e[3]))
for path in sorted(n): print(n[path], path)'
netan steps -q m --format tsv --table hosts | cut -f 1,2
# Counters of all hosts: none of what nobody tells (of a capture, what is
# sent), and none goes on beyond the last bin.
echo "== counters of all hosts"
netan synth -q -o j.pcap --hosts 4
cat >course.py <<'PYTHON'
import sys
from pftraces import *
t, of = Trace(sys.argv[1]), {}
for _, _, kind, track, *_, value in t.events:
    if kind == COUNTER and "all hosts" in t.tracks[track][0]:
        of.setdefault(t.tracks[track][0], []).append(value)
for name, v in of.items():
    print(name + ":", "above 0" if max(v) > 0 else "FLAT", "to", v[-1])
PYTHON
for of in 's --from 100ms --to 200ms' 'j.pcap' 'j.pcap --host 10.1.0.1'; do
	netan export -q $of -o n.pftrace
	echo "of $of"
	PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$NETAN_ROOT/tests/real \
		python3 course.py n.pftrace
done
# Operations of devices are together as netan collectives has them, each start
# with its done.
echo "== executions of devices"
netan synth -q -o x --profile gpu --hosts 2 --devices 4 --steps 4
cat >devices.py <<'PYTHON'
import json, sys
from pftraces import *
t, ids, none = Trace(sys.argv[1]), set(), collections.Counter()
for e in t.events:
    if e[2] == BEGIN and e[5] == "collective" and e[9].get("device") is None:
        (ids.add(e[8]) if e[8] else none.update([e[4].rstrip(".0123456789")]))
of = [c["instances"] or 0 for c in json.load(open(sys.argv[2]))["result"]
      ["collectives"] if c["network"] != "dcn"]
print(len(ids), "executions of", sum(of), dict(sorted(none.items())))
PYTHON
for of in x s; do
	netan export -q $of -o x.pftrace
	netan collectives -q $of -o x.json
	PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$NETAN_ROOT/tests/real \
		python3 devices.py x.pftrace x.json
done
