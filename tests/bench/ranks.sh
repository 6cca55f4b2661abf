# Ranks of an MPI job: the work of each, what they send to the first, and what
# follows for larger jobs.  Read by bench.sh.
# shellcheck shell=bash disable=SC2016,SC2034

RANK_HOSTS=${RANK_HOSTS:-256 1024}

has_ranks() { command -v mpirun >/dev/null && [ -x "$NETAN-mpi" ]; }

make_ranks()
{
	local h
	has_ranks || return 0
	for h in $RANK_HOSTS; do
		make_file "ranks-$h" --hosts "$h" --slices 4 --devices 2 \
			--steps 10 --collectives 4
	done
}

# RANKS COMMAND...: cpu seconds of the busiest rank into $busiest, that of the
# first into $first; what it says stays in $WORK/ranks.txt.
busy()
{
	local n=$1
	shift
	rm -f "$WORK"/rank.*
	mpirun --oversubscribe --allow-run-as-root -n "$n" bash -c '
		TIMEFORMAT="%U %S"
		{ time "$NETAN-mpi" "$@" >"$WORK/r.json" 2>"$WORK/said.$OMPI_COMM_WORLD_RANK"; } \
			2>"$WORK/rank.$OMPI_COMM_WORLD_RANK"' rank "$@" >/dev/null 2>&1 || true
	first=$(awk '{ print $1 + $2 }' "$WORK/rank.0")
	busiest=$(awk '{ t = $1 + $2; if (t > m) m = t } END { print m }' "$WORK"/rank.*)
}

middle() { tr ' ' '\n' | grep . | sort -g | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

# The same, medians of RUNS without what MPI itself takes to start.
busy_median()
{
	local b='' f='' s='' i n=$1
	for ((i = 0; i < RUNS; i++)); do
		busy "$n" --version
		s+=" $busiest"
		busy "$@"
		b+=" $busiest" f+=" $first"
	done
	starts=$(middle <<<"$s")
	busiest=$(calc %.4f "$(middle <<<"$b") - $starts")
	first=$(calc %.4f "$(middle <<<"$f") - $starts")
	sent=$(sed -n 's/.*ranks have sent \([0-9.]*\) \([KMG]*i*B\).*/\1 \2/p' "$WORK/said.0" |
		awk '{ u["B"] = 1; u["KiB"] = 1024; u["MiB"] = 1048576; u["GiB"] = 1073741824
			print $1 * u[$2] }')
}

bench_ranks()
{
	local h k n one transfers dir
	has_ranks || { say "no MPI: ranks are not measured"; return 0; }
	for h in $RANK_HOSTS; do
		dir=$WORK/ranks-$h
		transfers=$("$NETAN" timeline -q --format json "$dir" | json_number used)
		for k in info timeline latency steps check; do
			for n in 1 2 4; do
				busy_median $n $k -v -j 1 --format json "$dir"
				if [ $n = 1 ]; then
					one=$busiest
					continue
				fi
				say "$(calc "$k, $h hosts, $n ranks: busiest %.2f s of %.2f s; sent %.1f kB from a host of another rank" \
					"$busiest, $one, ${sent:-0} / ($h * ($n - 1) / $n) / 1000")"
				[ $n = 2 ] && case $k in info | timeline | latency)
					row "$k, $h hosts, 2 ranks against 1, busiest cpu" \
						"$(calc '%.2f s' "$busiest")" "$(calc '%.2f s' "$one")" \
						"$(calc %.2fx "$one / $busiest")" ">= 1.7x" \
						"$(calc %d "($one >= 1.7 * $busiest)")" ;;
				esac
				if [ $n = 4 ] && [ $k = latency ]; then
					extrapolate "$one" "$first" "$h" "$transfers" "$sent"
				fi
			done
		done
	done
}

# ONE FIRST HOSTS TRANSFERS SENT: what 10,000 and 100,000 hosts of a million
# transfers each would take on 64 ranks and 1,000, by these rates: reading is
# shared, what the first rank takes is not.
extrapolate()
{
	local take each
	each=$(calc %.1f "$5 / ($4 * 3 / 4)")
	take=$(calc %.3g "($2 - $1 / 4) / ($4 * 3 / 4) * 1e6")
	say "a transfer of another rank: $each B sent, $take us of the first rank"
	say "$(awk -v one="$1" -v t="$4" -v e="$each" -v us="$take" 'BEGIN {
		split("10000 64 100000 1000", a, " ")
		for (i = 1; i < 4; i += 2)
			printf("%d hosts of 1e6 transfers on %d ranks: read %.0f s a rank, %.1f TB to the first, %.0f s of it; ",
				a[i], a[i + 1], one / t * a[i] * 1e6 / a[i + 1],
				a[i] * 1e6 * e / 1e12, a[i] * us) }')"
}
