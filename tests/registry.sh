# shellcheck shell=bash
# Read by tests/run.sh: every row of a .def file has its tests, and documents
# name only what there is.  Its verdicts and its $out.

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

# CHECK: three cases that fire it, and three that must not.
need_cases()
{
	local fire quiet
	fire=$(grep -l "\"must\": \[.*\"id\": \"$1\"" tests/cases/"$1"/*/expect.json | wc -l)
	quiet=$(grep -l "\"must_not\": \[.*\"id\": \"$1\"" tests/cases/"$1"/*/expect.json | wc -l)
	if [ "$fire" -ge 3 ] && [ "$quiet" -ge 3 ]; then
		verdict "pass registry/check $1 cases"
	else
		verdict "FAIL registry/check $1 cases: $fire fire it, $quiet must not; it takes 3 of each"
	fi
}

# WORD EXPECTATION: what tests/cases.awk says of it: pass or fail.
try_case()
{
	local is=pass
	printf '{\n%s\n}\n' "$2" >"$out.expect"
	printf '%s\n' '{"result": {"outcome": "guilty", "findings": [' \
		'{"id": "a, \"b", "severity": "error"}, {"id": "c",' \
		'"severity": "info", "evidence": {"n": [1, 2]}}],' \
		'"accused": [{"cause": "network", "rank": 2, "host": null}]}}' >"$out.json"
	awk -f tests/cases.awk "$out.expect" "$out.json" >/dev/null || is=fail
	if [ "$is" = "$1" ]; then
		verdict "pass registry/case that must $1: $2"
	else
		verdict "FAIL registry/case that must $1: $2"
	fi
}

# A case that is wrong is seen.
need_compared()
{
	try_case pass '"outcome": "guilty", "must": [{"id": "c", "severity": "info"}]'
	try_case fail '"outcome": "not_guilty"'
	try_case pass '"must": [{"id": "a, \"b"}, {"evidence": {"n": [1, 2]}}]'
	try_case fail '"must": [{"id": "c", "severity": "error"}]'
	try_case fail '"must": [{"id": "d"}]'
	try_case pass '"must_not": [{"id": "c", "severity": "error"}]'
	try_case fail '"must_not": [{"id": "x"}, {"severity": "info"}]'
	try_case pass '"accused": [{"rank": 2, "host": null}]'
	try_case fail '"accused": [{"rank": 3}]'
	try_case fail '"accused": []'
	try_case fail '"accused": [{"rank": 2}, {"cause": "network"}]'
	try_case fail '"must": [{"id": "c"}], "mustnot": []'
}

# CHECK NETAN: the results that it reads are those of analyses, or those that
# commands add; it has a version.
need_read()
{
	local wrong
	"$2" help "$1" >"$out.help"
	wrong=$(sed -n -E 's/^(Needs the results of|Also reads): //p' "$out.help" |
		tr -s ', ' '\n\n' | sort -u | comm -23 - "$out.exhibits" | tr '\n' ' ')
	grep -q "^$1: a check of netan check, version [1-9][0-9]*, " "$out.help" ||
		wrong+=' no version'
	if [ -z "$wrong" ]; then
		verdict "pass registry/check $1 reads"
	else
		verdict "FAIL registry/check $1 reads: there is no $wrong"
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
	{
		"$1/tools/pages"
		for name in $(commands); do "$1/tools/pages" "$name"; done
	} | options_in >"$out.known"
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
	{
		analyses
		rows netan/analyses/analyses.def NA_EVIDENCE
		grep -r -h -o -E 'na_battery_add\(b, "[a-z_]+"' netan | cut -d'"' -f2
	} | sort -u >"$out.exhibits"
	for name in $(rows netan/checks/checks.def NA_CHECK); do
		name=${name//_/-}
		need_cases "$name"
		need_read "$name" "$1/bin/netan"
	done
	need_compared
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
