# shellcheck shell=bash
# Part of bench.sh: an export against SQLite's shell, which imports the same
# rows from CSV.

bench_sql()
{
	local table rows
	if ! command -v sqlite3 >/dev/null; then
		say "there is no sqlite3: export has no peer"
		return
	fi
	export SQL=$WORK/sql
	mkdir -p "$SQL"
	"$NETAN" export -q --side rx --no-indexes "$TEN" -o "$SQL/ours.sqlite"
	for table in transfers executions; do
		sqlite3 "$SQL/ours.sqlite" ".schema $table"
	done >"$SQL/schema.sql"
	for table in transfers executions; do
		sqlite3 -csv "$SQL/ours.sqlite" "SELECT * FROM $table" \
			>"$SQL/$table.csv"
	done
	rows=$(sqlite3 "$SQL/ours.sqlite" 'SELECT count(*) FROM transfers')
	RUNS=1 measure \
		'"$NETAN" export -q --side rx --no-indexes "$TEN" -o "$SQL/ours.sqlite"' \
		'rm -f "$SQL/shell.sqlite"; sqlite3 "$SQL/shell.sqlite" ".read $SQL/schema.sql" ".mode csv" ".import $SQL/transfers.csv transfers" ".import $SQL/executions.csv executions"' \
		'"$NETAN" export -q --side rx "$TEN" -o "$SQL/ours.sqlite"' \
		'"$NETAN" sql -q "$TEN" "SELECT src_host, dst_host, sum(bytes) FROM transfers GROUP BY 1, 2" >"$SQL/asked"'
	at_most "export, $rows transfers, against import, wall" \
		"${WALL[0]}" "${WALL[1]}" 1.5
	at_most "export, $rows transfers, against import, cpu" \
		"${CPU[0]}" "${CPU[1]}" 1.5
	say "$(calc 'with indexes: %.1f s; netan sql, bytes by pair: %.1f s' \
		"${WALL[2]}, ${WALL[3]}")"
	rm -r "$SQL"
}
