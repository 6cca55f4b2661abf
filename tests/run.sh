#!/usr/bin/env bash
# Runs parts of the test suite, in parallel, and counts.
#
#	tests/run.sh [-u] PART...
#
#	unit:DIR    cmocka programs of DIR (build/<variant>): one test a case;
#	            where DIR is sanitized, without those whose head says
#	            "Not sanitized: why"
#	heavy:DIR   these
#	golden:DIR  tests/golden/CMD/CASE.sh against its .stdout .stderr .exit
#	            (absent: empty, empty, 0); -u rewrites those files; where DIR
#	            is sanitized, without those that say "# Not sanitized: why"
#	sample:DIR  of golden:DIR one case a folder
#	replay:DIR  tests/fuzz/corpus/NAME through DIR's replay_NAME
#	fuzz:DIR    FUZZ_RUNS mutations of that corpus, from a fixed seed; of slow
#	            readers as many as 5 s allow
#	layers      tools/layers.sh, and that it sees what is planted
#	skip:WHAT:WHY   counts as one skipped; dashes in WHY are blanks
#	mpi:DIR     tests/mpi.sh: netan-mpi against netan
#	faults:DIR  tests/faults.sh: memory is refused, 200 times
#	registry:DIR    every row of a .def file has its tests
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
		TMPDIR="$scratch/tmp" PATH="$dir/bin:$PATH" \
		LC_ALL=C TZ=UTC TERM=dumb NETAN_ROOT="$root" \
		${NETAN_TEST_DATA:+NETAN_TEST_DATA="$NETAN_TEST_DATA"} \
		${san:+NETAN_SAN="$san"} \
		CMOCKA_MESSAGE_OUTPUT=TAP \
		ASAN_OPTIONS="exitcode=99${san_log:+:log_path=$san_log}" \
		UBSAN_OPTIONS="exitcode=99:print_stacktrace=1${san_log:+:log_path=$san_log}" \
		LSAN_OPTIONS="exitcode=99:print_suppressions=0:suppressions=$root/tests/lsan.supp" \
		"$@" </dev/null
}

# A test that hangs is ended after HANG seconds; sh keeps the report of a
# crash short.
HANG=300
# shellcheck disable=SC2016  # for the inner shell
guarded='timeout '$HANG' "$@"; exit $?'

# A test says its verdict on one line: "pass NAME", "FAIL NAME" or
# "skip: NAME: why"; lines for people follow a failure, indented.
verdict() { printf '%s\n' "$*"; }
indent() { sed 's/^/    /' "$@"; }

run_unit()
{
	local dir=$1 prog=$2 name=${2##*/} san_log='' rc
	clean_env "$dir" sh -c "$guarded" sh "$prog" >"$out.tap" 2>&1
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
	# What this kernel has of the sandbox is not what a case is about.
	sed -i "/^netan: sandbox: /d" "$out.stderr"
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
		-runs="${FUZZ_RUNS:-50000}" -entropic=0 -reduce_inputs=0 -max_total_time=5 -max_len=4096 \
		-artifact_prefix="$1/crashes/$name-" \
		"$out.new" "tests/fuzz/corpus/$name"
	rm -rf "$out.new"
}

run_mpi()
{
	clean_env "$1" ONLY="$ONLY" JOBS="$JOBS" timeout "$HANG" \
		bash tests/mpi.sh "$1"
}

run_faults()
{
	local san_log=''
	# Hundreds of runs, each of which has its own limit.
	clean_env "$1" ONLY="$ONLY" JOBS="$JOBS" timeout $((4 * HANG)) \
		bash tests/faults.sh "$1" "${FAULTS_RUNS:-200}"
	[ $? -le 1 ] || verdict 'FAIL faults: it did not end by itself'
}

run_layers()
{
	run_quiet layers bash tools/layers.sh
	run_quiet layers/lists bash tools/lists.sh
	run_quiet layers/planted bash tests/layers.sh
}

# FILE MACRO: the names in the rows of a .def file.
rows() { sed -n -E "s/^[ \t]*$2\(([a-z0-9_]+).*/\1/p" "$1" 2>/dev/null; }

# WHAT PATTERN: there is a file like that.
need()
{
	if compgen -G "$2" >/dev/null; then
		verdict "pass registry/$1"
	else
		verdict "FAIL registry/$1: there is no $2"
	fi
}

# Their names on the command line, which have no underscores.
# Those that are commands.
analyses()
{
	rows netan/analyses/analyses.def NA_ANALYSIS
	rows netan/analyses/analyses.def NA_PACKET_ANALYSIS
}
commands() { { rows netan/cli/commands.def NA_COMMAND; analyses; } | tr _ -; }

# WHAT NAME FILE...: one of the files uses that name.
need_use()
{
	local what=$1 name=$2
	shift 2
	if grep -q -w -E -e "$name" "$@" /dev/null; then
		verdict "pass registry/$what"
	else
		verdict "FAIL registry/$what: nothing there uses $name"
	fi
}

options_in() { grep -o -E -e '--[a-z][a-z-]+' | sort -u; }

# DIR: docs/commands says what the help says, and no document names an option
# that there is not, but on a line that runs another program.
need_documents()
{
	local name wrong
	if sh tools/docs.sh -n "$1/tools/pages" docs/commands >"$out.pages" 2>&1
	then
		verdict "pass registry/pages"
	else
		verdict "FAIL registry/pages: run make docs"
		head -n 40 "$out.pages" | indent
	fi
	for name in $(commands); do
		"$1/tools/pages" "$name"
	done | options_in >"$out.known"
	wrong=$(cat README.md CONTRIBUTING.md docs/*.md docs/commands/*.md |
		grep -v -E '^ *(nsys|mpirun|srun|#SBATCH) ' | options_in |
		comm -13 "$out.known" - | grep -v -x -e --version | tr '\n' ' ')
	if [ -z "$wrong" ]; then
		verdict "pass registry/documents"
	else
		verdict "FAIL registry/documents: no command has $wrong"
	fi
}

# The documents that comments cite, and those that other documents link to, are
# there, with these sections.
need_cited()
{
	local doc section wrong=
	while IFS=: read -r doc section; do
		grep -q -x -F -e "# $section" -e "## $section" \
			-e "### $section" "$doc" || wrong+=" $doc, \"$section\";"
	done < <(find netan ingest plot tests -type f -name '*.[a-z]*' \
		! -path '*/corpus/*' ! -path '*/data/*' ! -path '*/golden/*' \
		-exec cat {} + | LC_ALL=C tr -s '\n\t *#' ' ' | grep -a -o -E \
		'docs/[a-z]+\.md, "[A-Z][^"]+"( and "[^"]+")?' |
		sed -E 's/, "/:/; s/"$//; s/^([^:]*):(.*)" and "(.*)/\1:\2\n\1:\3/' |
		sort -u)
	for doc in README.md CONTRIBUTING.md docs/*.md docs/commands/*.md; do
		while read -r section; do
			[ -e "$(dirname "$doc")/$section" ] ||
				wrong+=" $doc links to $section;"
		done < <(grep -o -E '\]\([^)#: ]+' "$doc" | sed 's/^](//')
	done
	if [ -z "$wrong" ]; then
		verdict "pass registry/cited"
	else
		verdict "FAIL registry/cited: there is no$wrong"
	fi
}

# FILE...: where members of results are named by strings: in calls that put or
# read them, and by names with an underscore that are no words of a member.
literals()
{
	awk -f tests/literals.awk "$@"
	find netan -name members.def -exec cat {} + | awk '
		match($0, /^(MAYBE_)?(VALUE|WORD|OBJECT|LIST|NAMED|JSON|HIDDEN)\(/) {
			word = /WORD\(/
			name = substr($0, RLENGTH + 1)
			sub(/[,)].*/, "", name)
			if (name ~ /_/)
				names[name] = 1
		}
		word {
			gsub(/[",)]/, " ")
			for (i = 1; i <= NF; i++)
				if ($i != name)
					words[$i] = 1
		}
		/^END/ { word = 0 }
		END { for (name in names) if (!(name in words)) print "\"" name "\"" }
	' >"$out.names"
	# Inputs and the names of lines may be called alike.
	printf '%s\n' "$@" | grep -v -e '^ingest/' -e '^netan/model/' |
		xargs grep -n -F -f "$out.names" /dev/null |
		grep -v -E '^[^:]*:[0-9]+:[[:blank:]]*( \*|/\*)' | cut -d: -f1,2
}

# Members of results are named by their identifiers.
need_identifiers()
{
	local -a files
	mapfile -t files < <(find netan plot ingest -name '*.[ch]' \
		! -path 'netan/result/*' ! -path 'netan/synth/*')
	literals "${files[@]}" | LC_ALL=C sort -u >"$out.literals"
	printf 'x = na_get(of(c, "pairs"), "b");\nna_get(x, M_a "." M_b);\n' \
		>"$out.planted"
	awk -f tests/literals.awk "$out.planted" >>"$out.literals"
	if [ "$(cat "$out.literals")" = "$out.planted:1" ]; then
		verdict "pass registry/identifiers"
	else
		verdict "FAIL registry/identifiers: members that are literals"
		indent "$out.literals"
	fi
}

run_registry()
{
	local name
	for name in $(analyses); do
		need "analysis $name room" "netan/analyses/$name/$name.c"
		need "analysis $name unit" "tests/unit/test_$name*.c"
		need "analysis $name golden" "tests/golden/$name/*.sh"
		need "analysis $name oracle" "tests/oracle/$name*.tsv"
	done
	for name in $(commands); do
		need "command $name golden" "tests/golden/$name/*.sh"
	done
	for name in $(rows netan/exports/exports.def NA_EXPORT); do
		need_use "export $name golden" "-o [a-z]+\\.${name//_/.}( |$)" \
			tests/golden/export/*.sh
	done
	for name in $(rows netan/checks/checks.def NA_CHECK); do
		name=${name//_/-}
		need_use "check $name positive" "^(info|warning|error) $name: .*" \
			tests/golden/check/*.stdout
		need_use "check $name negative" "^passed: .*$name" \
			tests/golden/check/clean.stdout
	done
	need_documents "$1"
	need_cited
	need_identifiers
	for name in $(rows ingest/readers.def NA_READER); do
		need_use "reader $name fuzz" "na_reader_$name" tests/fuzz/fuzz_*.c
	done
	for name in $(rows plot/figures.def NA_FIGURE); do
		need "figure $name unit" "tests/unit/test_*$name*.c"
	done
	need_promised
}

# SECURITY.md: each promise names its test.
need_promised()
{
	local name
	sed -n '/^## What is promised$/,/^## /p' SECURITY.md >"$out.promises"
	grep '^|' "$out.promises" | sed 1,2d | grep -v '`[a-z_/-]*`[^|]* |$' |
		while read -r name; do verdict "FAIL promise without a test: $name"; done
	for name in $(grep '^|' "$out.promises" | sed 's/^.*| \(.*\) |$/\1/' |
		grep -o '`[^`]*`' | tr -d '`'); do
		case $name in
		*/fuzz) need "promise $name" "tests/fuzz/fuzz_*.c" ;;
		*/*) need "promise $name" "tests/golden/$name.sh" ;;
		*) need "promise $name" "tests/unit/$name.c" ;;
		esac
	done
}

# KIND DIR: the files of a part, one test job each.
jobs_of()
{
	local f
	case $1 in
	unit | heavy)
		case $1$2 in
		heavy*) grep -l '^ \* Not sanitized: ' tests/unit/test_*.c ;;
		*-address*) grep -L '^ \* Not sanitized: ' tests/unit/test_*.c ;;
		*) printf "%s\n" tests/unit/test_*.c ;;
		esac | sed "s,\(.*\)\.c\$,$2/\1," ;;
	golden)
		case $2 in
		*-address*) grep -L '^# Not sanitized: ' tests/golden/*/*.sh ;;
		*) printf "%s\n" tests/golden/*/*.sh ;;
		esac ;;
	sample) jobs_of golden "$2" | awk -F/ '!seen[$3]++' ;;
	replay | fuzz)
		for f in tests/fuzz/fuzz_*.c; do
			f=${f#*/fuzz_}
			echo "$2/tests/fuzz/$1_${f%.c}"
		done ;;
	*) echo "$1" ;;
	esac 2>/dev/null
}

selected()
{
	local short=${1##*/test_}
	short=${short##*/fuzz_}
	short=${short##*/replay_}
	short=${short#tests/golden/}
	# shellcheck disable=SC2053  # a pattern on purpose
	[[ ${short%.sh} == $ONLY || $1 == $ONLY ]]
}

passed=0 failed=0 skipped=0

count_part()
{
	local part=$1 p f s
	p=$(grep -c '^pass ' "$scratch/report")
	f=$(grep -c '^FAIL ' "$scratch/report")
	s=$(grep -c '^skip: ' "$scratch/report")
	passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
	if [ -n "${V-}" ]; then
		cat "$scratch/report"
	else
		grep -v '^pass ' "$scratch/report"
	fi
	printf '%-40s %4d passed %4d failed %4d skipped %6.0f s of cpu\n' \
		"$part" "$p" "$f" "$s" \
		"$(cpu_of_jobs | awk '{ s += $1 } END { print s + 0 }')"
	cpu_of_jobs | sort -rn | head -n "${SLOW:-0}"
}

# SECONDS JOB: what each took, its children included.
cpu_of_jobs()
{
	find "$scratch/out" -name '*.times' -exec cat {} + | awk '
	/^[0-9]+m/ { for (i = 1; i <= NF; i++) {
			split($i, t, /[ms]/); s += 60 * t[1] + t[2] }
		if (++lines % 2 == 0) { printf("%8.2f %s\n", s, job); s = 0 }
		next }
	{ job = $0 }'
}

run_part()
{
	local part=$1 kind=${1%%:*} dir='' n=0 job out
	if [ "$kind" = skip ]; then
		part=${part#skip:}
		echo "skip: ${part%%:*}: $(echo "${part#*:}" | tr - ' ')" >"$scratch/report"
		count_part "${part%%:*}"
		return
	fi
	case $part in *:*) dir=$root/${part#*:}; dir=${dir/#"$root//"//} ;; esac
	case $kind in
	unit | heavy | golden | sample | replay | fuzz | mpi | faults | layers | registry) ;;
	*) echo "tests/run.sh: no such part: $part" >&2; exit 2 ;;
	esac
	if [ -n "$dir" ] && [ ! -d "$dir" ]; then
		echo "FAIL $part: nothing is built there" >"$scratch/report"
		count_part "$part"
		return
	fi
	rm -rf "$scratch/out"
	mkdir "$scratch/out"
	for job in $(jobs_of "$kind" "$dir"); do
		[ "$kind" = mpi ] || [ "$kind" = faults ] || selected "$job" || continue
		while [ "$(jobs -rp | wc -l)" -ge "$JOBS" ]; do wait -n; done
		n=$((n + 1))
		out=$scratch/out/$(printf %04d $n)
		{
			"run_$kind" "$dir" "$job" >"$out.report" 2>&1
			echo "$job" >"$out.times"
			times >>"$out.times"
		} &
	done
	wait
	cat "$scratch"/out/*.report >"$scratch/report" 2>/dev/null
	count_part "$part"
}

for part in "$@"; do
	run_part "$part"
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
