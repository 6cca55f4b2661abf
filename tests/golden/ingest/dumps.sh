# What dumps of recorders tell comes out of a transfer file as from the dumps,
# also of operations that wait or have begun; who holds what they alone tell.
if ! command -v python3 >/dev/null; then
	echo "skip: python3 is not here"
	exit 77
fi
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$NETAN_ROOT/tests/accuracy/gpu python3 -c '
import random, stops
j, rank, row = stops.planted("stop", random.Random("stop 78 3"))
j.write("dumps", without=[], only_active=True, status=True, text=False)'
netan ingest -o job.netan dumps
for from in dumps job.netan; do
	netan sql "$from" 'SELECT * FROM operations' --format csv |
		sort >"$from.csv"
done
cmp dumps.csv job.netan.csv
netan sql job.netan --format csv \
	'SELECT source, count(*) FROM operations GROUP BY source'
netan check job.netan | head -n 1
netan slice dumps --from 0s -o part/
echo "exit $?"
