#!/usr/bin/env bash
# Runs parts of the test suite, in parallel, and counts.
#
#	tests/run.sh [-u] PART...
#
#	unit:DIR    cmocka programs of DIR (build/<variant>): one test a case;
#	            where DIR is sanitized, without those whose head says
#	            "Not sanitized: why"
#	heavy:DIR   these, and those that keep pace where DIR is sanitized
#	golden:DIR  tests/golden/CMD/CASE.sh against its .stdout .stderr .exit
#	            (absent: empty, empty, 0); -u rewrites those files; where DIR
#	            is sanitized, without those that say "# Not sanitized: why"
#	sample:DIR  of golden:DIR one case a folder
#	replay:DIR  tests/fuzz/corpus/NAME through DIR's replay_NAME
#	fuzz:DIR    FUZZ_RUNS mutations of that corpus, from a fixed seed; of slow
#	            readers as many as a second allows
#	layers      tools/layers.sh, and that it sees what is planted
#	skip:WHAT:WHY   counts as one skipped; dashes in WHY are blanks
#	mpi:DIR     tests/mpi.sh: netan-mpi against netan
#	faults:DIR  tests/faults.sh: memory is refused, 200 times
#	registry:DIR    every row of a .def file has its tests
#	cases:DIR   tests/cases.sh: what netan check says of known inputs
#
# ONLY='timeline/*' keeps the tests whose name matches.  V=1 names each test,
# SLOW=20 the slowest, with the seconds of CPU that they took.
# A case that cannot run here prints "skip: why" and exits with 77 (golden),
# or prints it and calls skip() (cmocka).  The last line is
# "N passed, N failed, N skipped"; the exit status is 1 when one failed.
set -u
cd "$(dirname "$0")/.." || exit 1
shopt -s nullglob
root=$PWD
JOBS=${JOBS:-$(nproc)}
ONLY=${ONLY:-*}
update=
if [ "${1-}" = -u ]; then
	update=yes
	shift
fi

scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
# Temporary files lie apart from what tests write: the sandbox grants both.
mkdir "$scratch/home" "$scratch/out" "$scratch/tmp"

# Nothing of the caller's locale, terminal or settings reaches a test.
clean_env()
{
	local dir=$1 san=
	shift
	case $dir in *-address*) san=yes ;; esac
	env -i HOME="$scratch/home" XDG_CACHE_HOME="$scratch/home" \
		TMPDIR="$scratch/tmp" PATH="$dir/bin:$PATH:${dir%/*}/programs" \
		LC_ALL=C TZ=UTC TERM=dumb NETAN_ROOT="$root" \
		${NETAN_TEST_DATA:+NETAN_TEST_DATA="$NETAN_TEST_DATA"} \
		${san:+NETAN_SAN="$san"} \
		CMOCKA_MESSAGE_OUTPUT=TAP \
		ASAN_OPTIONS="exitcode=99${san_log:+:log_path=$san_log}" \
		UBSAN_OPTIONS="exitcode=99:print_stacktrace=1${san_log:+:log_path=$san_log}" \
		LSAN_OPTIONS="exitcode=99:print_suppressions=0:suppressions=$root/tests/lsan.supp" \
		"$@" </dev/null
}

# A test that hangs is ended after HANG seconds, in which the slowest ends on a
# machine with ten times as much to do; sh keeps the report of a crash short.
HANG=900
# shellcheck disable=SC2016  # for the inner shell
guarded='timeout '$HANG' "$@"; exit $?'

# A test says its verdict on one line: "pass NAME", "FAIL NAME" or
# "skip: NAME: why"; lines for people follow a failure, indented.
verdict() { printf '%s\n' "$*"; }
indent() { sed 's/^/    /' "$@"; }

run_unit()
{
	local dir=$1 prog=$2 name=${2##*/} san_log='' rc locale=${1%/*}/locale
	# tools/deps.sh makes one that the system lacks.
	[ -d "$locale" ] || locale=
	clean_env "$dir" ${locale:+LOCPATH="$locale"} sh -c "$guarded" sh "$prog" >"$out.tap" 2>&1
	rc=$?
	awk -v prog="$name" -v rc="$rc" '
	function show() { for (i = 0; i < n; i++) print "    " text[i]; n = 0 }
	function flush() { if (failing) show(); failing = 0 }
	/^1\.\.[0-9]+$/ { planned += substr($0, 4) }
	/^skip: / { why = substr($0, 7); next }
	/^(not )?ok .*# SKIP/ { flush(); seen++; sub(/.*# SKIP */, "")
		print "skip: " prog "/" $0 ": " (why ? why : "no reason given")
		why = ""; n = 0; next }
	/^ok / { flush(); seen++; sub(/^ok [0-9]+ - /, "")
		print "pass " prog "/" $0; n = 0; next }
	/^not ok / { flush(); seen++; failed++; failing = 1
		sub(/^not ok [0-9]+ - /, ""); print "FAIL " prog "/" $0; show(); next }
	n < 200 { text[n++] = $0 }
	END { if (failing) flush()
		if (seen < planned || seen == 0 || (rc != 0 && !failed)) {
			print "FAIL " prog ": exit status " rc ", " seen + 0 \
				" of " planned + 0 " tests reported"
			show() } }' "$out.tap"
}

run_heavy() { run_unit "$@"; }

# Rewrites FILE from NEW; a file that would say nothing is left out.
keep()
{
	if [ -s "$1" ] && [ "$(cat "$1")" != 0 ]; then cp "$1" "$2"; else rm -f "$2"; fi
}

run_golden()
{
	local dir=$1 case=${2%.sh} name san_log rc part
	name=${case#tests/golden/}
	san_log=$out.san
	mkdir "$out.cwd"
	(cd "$out.cwd" && clean_env "$dir" timeout "$HANG" sh "$root/$case.sh") \
		>"$out.stdout" 2>"$out.stderr"
	rc=$?
	# What this kernel has of the sandbox is not what a case is about, nor
	# is a sanitizer that has nobody to name functions.
	sed -i -e "/^netan: sandbox: /d" \
		-e '/^==[0-9]*==WARNING: .*external symbolizer!$/d' "$out.stderr"
	echo $rc >"$out.exit"
	rm -rf "$out.cwd"
	if [ $rc = 77 ]; then
		verdict "skip: $name: $(sed -n 's/^skip: //p' "$out.stdout" "$out.stderr")"
		return
	fi
	if [ -n "$update" ]; then
		for part in stdout stderr exit; do
			keep "$out.$part" "$case.$part"
		done
	fi
	for part in stdout stderr exit; do
		cp "$case.$part" "$out.want" 2>/dev/null || : >"$out.want"
		if [ $part = exit ] && [ ! -s "$out.want" ]; then echo 0 >"$out.want"; fi
		diff -u --label "$name.$part, wanted" --label "$name.$part, found" \
			"$out.want" "$out.$part" | head -n 60 >>"$out.diff"
	done
	cat "$san_log".* >>"$out.diff" 2>/dev/null
	if [ -s "$out.diff" ]; then
		verdict "FAIL $name"
		indent "$out.diff"
	else
		verdict "pass $name"
	fi
}

run_sample() { run_golden "$@"; }

# Runs a command that is one test and speaks only when it fails.
run_quiet()
{
	local name=$1 san_log=''
	shift
	if "$@" >"$out.log" 2>&1; then
		verdict "pass $name"
		grep '^note: ' "$out.log"
	else
		verdict "FAIL $name"
		tail -n 60 "$out.log" | indent
	fi
}

run_replay()
{
	local name=${2##*/replay_}
	if [ -d "tests/fuzz/corpus/$name" ]; then
		run_quiet "replay/$name" clean_env "$1" sh -c "$guarded" sh "$2" \
			"tests/fuzz/corpus/$name"
	else
		verdict "FAIL replay/$name: no corpus in tests/fuzz/corpus/$name"
	fi
}

run_fuzz()
{
	local name=${2##*/fuzz_}
	mkdir -p "$out.new" "$1/crashes"
	run_quiet "fuzz/$name" clean_env "$1" sh -c "$guarded" sh "$2" -seed=1 \
		-runs="${FUZZ_RUNS:-50000}" -entropic=0 -reduce_inputs=0 -max_total_time=1 -max_len=4096 \
		-artifact_prefix="$1/crashes/$name-" \
		"$out.new" "tests/fuzz/corpus/$name"
	rm -rf "$out.new"
}

run_mpi()
{
	clean_env "$1" ONLY="$ONLY" JOBS="$jobs_beside" timeout $((4 * HANG)) \
		bash tests/mpi.sh "$1"
	[ $? -le 1 ] || verdict 'FAIL mpi: it did not end by itself'
}

run_faults()
{
	local san_log=''
	# Hundreds of runs, each of which has its own limit.
	clean_env "$1" ONLY="$ONLY" JOBS="$jobs_beside" timeout $((4 * HANG)) \
		bash tests/faults.sh "$1" "${FAULTS_RUNS:-200}"
	[ $? -le 1 ] || verdict 'FAIL faults: it did not end by itself'
}

run_layers()
{
	run_quiet layers bash tools/layers.sh
	run_quiet layers/lists bash tools/lists.sh
	run_quiet layers/facts bash tools/facts.sh
	run_quiet layers/house bash tools/house.sh
	run_quiet layers/planted bash tests/layers.sh
}

. tests/registry.sh
. tests/cases.sh

# KIND DIR: the files of a part, one test job each.
jobs_of()
{
	local f
	case $1 in
	unit | heavy)
		case $1$2 in
		heavy*) grep -l -e '^ \* Not sanitized: ' -e 'unit/\(pace\|ink\)\.h"' tests/unit/test_*.c ;;
		*-address*) grep -L '^ \* Not sanitized: ' tests/unit/test_*.c ;;
		*) printf "%s\n" tests/unit/test_*.c ;;
		esac | sed "s,\(.*\)\.c\$,$2/\1," ;;
	golden)
		case $2 in
		*-address*) grep -L '^# Not sanitized: ' tests/golden/*/*.sh ;;
		*) printf "%s\n" tests/golden/*/*.sh ;;
		esac ;;
	cases) cases_all ;;
	sample) jobs_of golden "$2" | awk -F/ '!seen[$3]++' ;;
	replay | fuzz)
		for f in tests/fuzz/fuzz_*.c; do
			f=${f#*/fuzz_}
			echo "$2/tests/fuzz/$1_${f%.c}"
		done ;;
	skip) ;;
	*) echo "$1" ;;
	esac 2>/dev/null
}

selected()
{
	local short=${1##*/test_}
	short=${short##*/fuzz_}
	short=${short##*/replay_}
	short=${short#tests/golden/}
	short=${short#tests/cases/}
	# shellcheck disable=SC2053  # a pattern on purpose
	[[ ${short%.sh} == $ONLY || $1 == $ONLY ]]
}

passed=0 failed=0 skipped=0

# PART FOLDER: what its jobs say and took is there.
count_part()
{
	local part=$1 p f s
	cat "$2"/*.report >"$scratch/report" 2>/dev/null
	p=$(grep -c '^pass ' "$scratch/report")
	f=$(grep -c '^FAIL ' "$scratch/report")
	s=$(grep -c '^skip: ' "$scratch/report")
	passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
	if [ -n "${V-}" ]; then
		cat "$scratch/report"
	else
		grep -v '^pass ' "$scratch/report"
	fi
	cpu_of_jobs "$2" >"$scratch/took"
	printf '%-40s %4d passed %4d failed %4d skipped %6.0f s of cpu\n' \
		"$part" "$p" "$f" "$s" \
		"$(awk '{ s += $1 } END { print s + 0 }' "$scratch/took")"
	sort -rn "$scratch/took" | head -n "${SLOW:-0}"
}

# SECONDS JOB: what each took, its children included.
cpu_of_jobs()
{
	find "$1" -name '*.times' -exec cat {} + | awk '
	/^[0-9]+m/ { for (i = 1; i <= NF; i++) {
			split($i, t, /[ms]/); s += 60 * t[1] + t[2] }
		if (++lines % 2 == 0) { printf("%8.2f %s\n", s, job); s = 0 }
		next }
	{ job = $0 }'
}

# The jobs of all parts stand in one queue, so that a core that has nothing
# more to do of one part goes on with the next.  Of each part that was queued
# its name and how many jobs it has.
queued=() sizes=() counted=0

# Counts, in their order, the parts that are over.
count_those_over()
{
	local -a over
	while [ $counted -lt ${#queued[@]} ]; do
		over=("$scratch/out/$counted"/*.times)
		[ ${#over[@]} = "${sizes[counted]}" ] || return
		count_part "${queued[counted]}" "$scratch/out/$counted"
		rm -rf "$scratch/out/$counted"
		counted=$((counted + 1))
	done
}

# What shares out jobs of its own, and mostly waits: for ranks to find each
# other, for a process to end.  It runs beside the queue.
beside=()
jobs_beside=$(($# > 1 ? (JOBS + 1) / 2 : JOBS))

# N: so many jobs of the queue still run, at most.
wait_for()
{
	while [ "$(jobs -rp | grep -cvxF -e none "${beside[@]/#/-e}")" -gt "$1" ]
	do
		wait -n
	done
	count_those_over
}

start_job()
{
	local kind=$1 dir=$2 job=$3 out=$4
	{
		"run_$kind" "$dir" "$job" >"$out.report" 2>&1
		{
			echo "$job"
			times
		} >"$out.took"
		mv "$out.took" "$out.times"
	} &
}

queue_part()
{
	local part=$1 kind=${1%%:*} dir='' n=0 job to=$scratch/out/${#queued[@]}
	mkdir "$to"
	case $part in *:*) dir=$root/${part#*:}; dir=${dir/#"$root//"//} ;; esac
	case $kind in
	skip)
		part=${part#skip:}
		echo "skip: ${part%%:*}: $(echo "${part#*:}" | tr - ' ')" >"$to/why.report"
		part=${part%%:*} dir='' ;;
	unit | heavy | golden | sample | replay | fuzz | mpi | faults | layers | registry | cases) ;;
	*) echo "tests/run.sh: no such part: $part" >&2; exit 2 ;;
	esac
	if [ -n "$dir" ] && [ ! -d "$dir" ]; then
		echo "FAIL $part: nothing is built there" >"$to/why.report"
		kind=skip
	fi
	for job in $(jobs_of "$kind" "$dir"); do
		[ "$kind" = mpi ] || [ "$kind" = faults ] || selected "$job" || continue
		case $kind in
		mpi | faults) ;;
		*) wait_for $((JOBS - 1)) ;;
		esac
		n=$((n + 1))
		start_job "$kind" "$dir" "$job" "$to/$(printf %04d $n)"
		case $kind in mpi | faults) beside+=($!) ;; esac
	done
	queued+=("$part") sizes+=($n)
}

for part in "$@"; do
	queue_part "$part"
done
beside=()
wait_for 0
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
