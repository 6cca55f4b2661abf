# What is written, and what is refused.
f=$NETAN_ROOT/tests/data/graph.xplane.pb
try()
{
	echo "== $*" | sed "s,$NETAN_ROOT/,,g"
	netan export "$@" | sed 's/, [0-9.]* [KM]iB:/, SIZE:/'
}
try "$f" -o x.sqlite
cksum <x.sqlite >a
try "$f" -o x.sqlite -q -j 1
cksum <x.sqlite | cmp - a
# The same without its indexes.
try "$f" -o y.SQLITE --no-indexes -q
for db in x.sqlite y.SQLITE; do
	netan sql $db "SELECT type, count(*) AS n FROM sqlite_schema GROUP BY 1" \
		--format csv
done
head -c 15 x.sqlite
echo
try "$f"
try "$f" -o x.db
try "$f" -o -
try "$f" -o /dev/stdout
try "$f" -o there/is/none.sqlite
cp "$f" in.sqlite
try in.sqlite -o in.sqlite
try x.sqlite -o z.sqlite
: >empty.pb
try empty.pb -o z.sqlite
try --label a "$f" --label b in.sqlite -o runs.sqlite
netan sql runs.sqlite 'SELECT label, count(*) AS n, min(step) AS step
	FROM transfers GROUP BY 1' --format csv
ls
