# Messages that have begun and not ended, and operations beyond the columns of
# the picture.
if ! command -v python3 >/dev/null; then
	echo "skip: python3 is not here"
	exit 77
fi
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$NETAN_ROOT/tests/accuracy/gpu python3 -c '
import random, stops
j, rank, row = stops.planted("stop", random.Random("stop 78 3"))
j.write("dumps", without=[], only_active=True, status=True, text=False)'
netan hang -q --format json -o hang.svg -o - dumps | python3 -c '
import json, sys
for p in json.load(sys.stdin)["result"]["progress"]:
    print(p["group_name"], p["sequence"],
          [(x["ranks"], x["role"], x["state"], x.get("messages")) for x in p["positions"]])'
grep -o -e 'called up to number [0-9]*' -e 'in [0-9]* more group[^;.]*' hang.svg | sort -u
