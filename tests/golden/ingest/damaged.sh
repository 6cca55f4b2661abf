# What is whole is read, what is not is named; --strict makes it fail.
netan synth -o t --run r --hosts 2 --devices 1 --steps 2 --ops 1 >/dev/null
netan ingest -o t.netan t >/dev/null
size=$(wc -c <t.netan)
try()
{
	netan latency "$1" ${2-} --format csv 2>&1 | cut -d, -f1-3 |
		sed 's/[0-9]\{1,\}/N/g'
	netan info "$1" --strict >/dev/null 2>&1
	echo "exit $?"
}
# Without its end; in the last bytes; one byte changed; the header gone.
head -c $((size - 20)) t.netan >unfinished
try unfinished
head -c $((size / 2)) t.netan >half
try half
{ head -c 1000 t.netan; printf 'XX'; tail -c +1003 t.netan; } >changed
try changed
{ head -c 40 t.netan; printf 'XX'; tail -c +43 t.netan; } >headless
try headless
head -c 10 t.netan >ten
try ten
# -q: no warning while it is copied.
netan ingest -o again.netan half 2>&1 >/dev/null | wc -l
netan ingest -q -o again.netan half 2>&1 >/dev/null | wc -l
