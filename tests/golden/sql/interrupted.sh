# Ctrl-C ends a query that would not end, and nothing is written.
query='WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c)
	SELECT count(*) FROM c'
data=$NETAN_ROOT/tests/data/graph.xplane.pb
# Once it has computed for some time: hundredths of a second.
cat >interrupted <<'EOF'
while [ "$(awk '{ print $14 }' /proc/$$/stat)" -lt 50 ]; do sleep 0.1; done &&
	kill -INT $$ &
exec netan "$@"
EOF
# A shell lets what runs beside it ignore Ctrl-C.
(
	trap - INT
	exec sh interrupted sql "$data" "$query" -o out.csv
)
code=$?
rm interrupted
echo "exit $code"
ls
