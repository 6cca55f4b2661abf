# Ctrl-C ends a query that would not end, and nothing is written.
query='WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c)
	SELECT count(*) FROM c'
data=$NETAN_ROOT/tests/data/graph.xplane.pb
(
	# A shell lets what runs beside it ignore Ctrl-C.
	trap - INT
	exec timeout --foreground --preserve-status -s INT 2 netan sql "$data" "$query" -o out.csv
)
echo "exit $?"
ls
