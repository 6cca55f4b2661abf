# Results as every command has them.
cd "$NETAN_ROOT" || exit
f=tests/data/graph.xplane.pb
query="SELECT src, dst, count(*) AS transfers, sum(bytes) AS bytes, \
max(latency_us) / 3 AS third, NULL AS empty, x'00ff' AS bits, \
'a,\"b\"|' AS odd FROM transfers GROUP BY 1, 2 ORDER BY 1, 2 LIMIT 3"
for format in table json csv tsv md; do
	echo "== $format"
	netan sql $f "$query" --format $format
done
echo "== no rows"
for format in table json csv md; do
	netan sql $f 'SELECT src, dst FROM transfers WHERE 0' --format $format |
		sed '/"inputs"/,/"unknown_names"/d'
done
cd "$OLDPWD" || exit
netan sql "$NETAN_ROOT/$f" "$query" -o x.csv -o x.json -o x.tsv -o x.md -o -
wc -l x.csv x.tsv x.md
netan sql - 'SELECT count(*) AS n FROM transfers' --format csv \
	<"$NETAN_ROOT/$f"
# What would be a formula has its mark; a number is none, also as a text.
netan sql -q "$NETAN_ROOT/$f" --format csv \
	"SELECT '-3' AS a, '+1.50' AS b, '=1+1' AS c, '-x' AS d, -3 AS e"
