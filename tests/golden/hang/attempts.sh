# Dumps of several attempts of a job, and several of one rank: a dump of what
# is over accuses nobody, and the names of the files do not matter.
if ! command -v python3 >/dev/null; then
	echo "skip: python3 is not here"
	exit 77
fi
set -- -q --profile pytorch --hosts 2 --devices 2 --evidence recorder-json
netan synth "$@" --fault stuck-device:r1 -o stuck
netan synth "$@" -o healthy
python3 - <<'END'
import copy
import glob
import json
import os


def dumps(job):
    return {int(p.rsplit("_", 1)[1].split(".")[0]): json.load(open(p))
            for p in glob.glob(f"{job}/recorder-json/*")}


def write(path, dump, days=0, cut=0):
    dump = copy.deepcopy(dump)
    for e in dump["entries"]:
        for k in e:
            if k.endswith("_ns") and e[k]:
                e[k] += days * 86400 * 10**9
    os.makedirs(os.path.dirname(path), exist_ok=True)
    text = json.dumps(dump)
    with open(path, "w") as f:
        f.write(text[:len(text) - cut])


def part(dump, *of):
    return dict(dump, pg_status={}, entries=[
        dict(e) for e in dump["entries"]
        if e["process_group"][1].split("_")[0] in of])


stuck, healthy = dumps("stuck"), dumps("healthy")
for rank, dump in stuck.items():
    for of in "lacks", "thrice", "broken", "fewer":
        write(f"{of}/1/rank_{rank}", dump)
write("thrice/2/rank_1", stuck[1], days=1)
for rank in 0, 2, 3:
    write(f"lacks/2/rank_{rank}", healthy[rank], days=1)
    write(f"thrice/2/rank_{rank}", healthy[rank], days=1)
    write(f"thrice/3/rank_{rank}", healthy[rank], days=2)
    write(f"broken/2/rank_{rank}", healthy[rank], days=1, cut=40)

# The next attempt has two ranks, and of the groups only that of all.
for rank in 0, 1:
    dump = part(healthy[rank], "default")
    for g in dump["pg_config"].values():
        g["ranks"] = "[0, 1]"
    write(f"fewer/2/rank_{rank}", dump, days=1)

# Three of a rank: the last one shares groups with both of those before it,
# of which one is in an operation that has ended since.
first, early = part(healthy[0], "default"), part(healthy[0], "TENSOR")
del first["entries"][2:]
del early["entries"][len(early["entries"]) // 2:]
early["entries"][-1].update(state="started", retired=False,
                            time_discovered_completed_ns=None)
for names in "abc", "bca", "cba":
    for name, dump in zip(names, (first, early, healthy[0])):
        write(f"three-{names}/{name}_rank_0", dump)
    for rank in 1, 2, 3:
        write(f"three-{names}/rank_{rank}", healthy[rank])

# Two recorders of a rank of which one's file breaks off.
for names in "ab", "ba":
    write(f"halves-{names}/{names[0]}_rank_3", part(stuck[3], "default"))
    write(f"halves-{names}/{names[1]}_rank_3",
          part(stuck[3], "TENSOR", "DATA"), cut=10000)
    for rank in 0, 2:
        write(f"halves-{names}/rank_{rank}", stuck[rank])
END
for set in lacks thrice broken fewer three-* halves-*; do
	echo "$set: $(netan hang "$set" 2>/dev/null |
		sed -n '1p;/^no whole dump/p;/moments/p;/^not judged/p')"
done
