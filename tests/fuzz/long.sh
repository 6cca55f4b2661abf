#!/usr/bin/env bash
# Fuzzes every reader, JOBS at a time, SECONDS_EACH each, and prints what came of
# it as a table.
#
#	tests/fuzz/long.sh DIR OUT SECONDS_EACH [NAME...]
#
# DIR has the targets, OUT/NAME what earlier runs found worth keeping, which goes
# on to grow and is then reduced to what the seeds do not cover already; the
# totals of all runs stand in OUT/total.tsv.  An input that crashes a target, or
# takes it longer than ten seconds or 2 GB, is kept as OUT/found/NAME-...; the
# exit status is 1 then.
set -u
cd "$(dirname "$0")/../.." || exit 1
dir=$1 out=$2 seconds=$3
shift 3
JOBS=${JOBS:-$(nproc)}
if [ $# -eq 0 ]; then
	for f in tests/fuzz/fuzz_*.c; do
		f=${f##*/fuzz_}
		set -- "$@" "${f%.c}"
	done
fi
mkdir -p "$out/found" "$out/log"
export ASAN_OPTIONS=exitcode=99 UBSAN_OPTIONS=exitcode=99:print_stacktrace=1
export LSAN_OPTIONS=exitcode=99:print_suppressions=0:suppressions=$PWD/tests/lsan.supp

# Those of a name alone: hlo is no part of hlo_text.
findings()
{
	find "$out/found" -maxdepth 1 -type f -name "$1-*" | wc -l
}

fuzz_one()
{
	local name=$1 bin=$dir/tests/fuzz/fuzz_$1 seeds=tests/fuzz/corpus/$1
	local log=$out/log/$1 TIMEFORMAT='%3U %3S' cpu
	mkdir -p "$out/$name"
	# What is rare is not looked for first: that costs small readers half of
	# their executions.
	cpu=$({ time "$bin" -entropic=0 -reduce_inputs=0 -max_total_time="$seconds" -max_len=4096 -timeout=10 \
		-rss_limit_mb=2048 -print_final_stats=1 \
		-artifact_prefix="$out/found/$name-" "$out/$name" "$seeds" \
		>"$log" 2>&1; } 2>&1)
	rm -rf "$out/$name.least"
	mkdir "$out/$name.least"
	if "$bin" -merge=1 -max_len=4096 "$out/$name.least" "$seeds" "$out/$name" \
		>"$log.merge" 2>&1; then
		rm -rf "${out:?}/$name"
		mv "$out/$name.least" "$out/$name"
	fi
	awk -v name="$name" -v cpu="$cpu" -v found="$(findings "$name")" \
		-v kept="$(find "$out/$name" -type f | wc -l)" '
		/^stat::number_of_executed_units/ { n = $2 }
		/ cov: / { for (i = 1; i < NF; i++) if ($i == "cov:") cov = $(i + 1) }
		/^Done .* in .* second/ { s = $(NF - 1) }
		END { split(cpu, t, " ")
			printf "%s\t%d\t%d\t%d\t%d\t%d\t%.3f\n", name, s, n, cov,
				kept, found, t[1] + t[2] }
		' "$log" >>"$out/total.tsv"
}
export -f fuzz_one findings
export dir out seconds
printf '%s\n' "$@" | xargs -P "$JOBS" -I {} bash -c 'fuzz_one "$1"' bash {}

# Seconds and executions of all runs, coverage and corpus of the last one.  A
# second of the processor is one of user and system time: where others want it,
# too, that is what can be compared.  Rows of before it was taken have none.
sort -s -k1,1 "$out/total.tsv" | awk -F '\t' '
	function rate(n, s) { return s ? sprintf("%d", n / s) : "-" }
	function row(name, s, n, cpu, timed, cov, kept, found) {
		printf "%-16s %9d %13d %8s %9s %9s %9s %7s %9d\n", name, s, n,
			rate(n, s), cpu ? sprintf("%.1f", cpu) : "-",
			rate(timed, cpu), cov, kept, found
	}
	function flush() {
		if (last != "")
			row(last, s, n, cpu, timed, cov, kept, found)
		all_s += s; all_n += n; all_cpu += cpu; all_timed += timed
		all_found += found
		s = n = cpu = timed = found = 0
	}
	BEGIN { printf "%-16s %9s %13s %8s %9s %9s %9s %7s %9s\n", "reader",
		"seconds", "executions", "per s", "CPU s", "per CPU s",
		"coverage", "corpus", "findings" }
	$1 != last { flush(); last = $1 }
	{ s += $2; n += $3; cov = $4; kept = $5; found = $6; cpu += $7
		timed += $7 ? $3 : 0 }
	END { flush(); row("all", all_s, all_n, all_cpu, all_timed, "", "",
		all_found) }'
[ -z "$(find "$out/found" -type f | head -n 1)" ]
