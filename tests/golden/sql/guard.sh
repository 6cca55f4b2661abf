# A query can read, and do nothing else.
cd "$NETAN_ROOT/tests/data" || exit
netan export graph.xplane.pb -o "$OLDPWD/x.sqlite" -q
cd "$OLDPWD" || exit
before=$(cksum x.sqlite)
try()
{
	echo "== $1"
	netan sql x.sqlite "$1" --format csv 2>&1 | grep -v '^netan: netan help'
	netan sql "$NETAN_ROOT/tests/data/graph.xplane.pb" "$1" >out 2>&1
	echo "exit $?"
}
try "INSERT INTO hosts VALUES ('x', '', 1, 1, '', '')"
try "UPDATE transfers SET bytes = 0"
try "DELETE FROM transfers"
try "DROP TABLE transfers"
try "CREATE TABLE t (a)"
try "CREATE TEMP TABLE t (a)"
try "ATTACH 'y.sqlite' AS y"
try "VACUUM INTO 'y.sqlite'"
try "PRAGMA writable_schema = 1"
try "PRAGMA temp_store_directory = '/'"
try "BEGIN"
try "SELECT load_extension('/tmp/x.so')"
try "SELECT writefile('y', 'z')"
try "SELECT readfile('/etc/passwd')"
try "SELECT fts3_tokenizer('simple', x'00')"
try "SELECT * FROM pragma_database_list"
try "SELECT * FROM dbstat"
try "SELECT * FROM sqlite_temp_master"
try "SELECT 1; DROP TABLE hosts"
try "WITH x AS (SELECT 1) DELETE FROM hosts"
try "REPLACE INTO hosts (host) SELECT 'x'"
try "SELECT length(zeroblob(1000000000))"
try "SELECT ?1"
try "SELECT nowhere FROM transfers"
try "SELECT * FROM nowhere"
try "SELECT"
try "-- nothing"
try "SELECT 1 AS one; -- and no more"
try "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 5) SELECT count(*) AS n FROM c"
try "SELECT value FROM json_each('[1, 2]')"
try "SELECT name FROM sqlite_schema WHERE name = 'hosts'"
try "SELECT median(bytes) FROM transfers WHERE 0"
try "SELECT percentile(bytes, 101) FROM transfers"
try "SELECT percentile_cont(bytes, step) FROM transfers"
try "SELECT percentile_disc(src, 0.5) FROM transfers"
[ "$before" = "$(cksum x.sqlite)" ] && ls
echo "== wrong usage"
netan sql
netan sql x.sqlite
netan sql x.sqlite ''
netan sql nothing.pb 'SELECT 1'
netan sql x.sqlite 'SELECT 1' --from 1s
netan sql x.sqlite 'SELECT 1' -o x.sqlite
netan sql x.sqlite 'SELECT 1' -o x.svg
netan sql x.sqlite 'SELECT 1' --format xml
echo "exit $?"
