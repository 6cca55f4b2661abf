# shellcheck shell=bash
# Read by tests/run.sh: what `netan check` says of known inputs, as facts.
#
# tests/cases/CHECK/NAME/ holds
#
#	in...        inputs, beside those that
#	make         writes, where there is one: commands of sh, which run in an
#	             empty folder; the inputs are what is called in... there
#	options      of netan check, where it takes any
#	expect.json  what must and must not be found: tests/cases.awk
#
# Each line "NAME: COMMAND" of tests/cases/healthy/inputs makes, as `make` does,
# an input of which nothing may be said but remarks.
#
# A case that tests/cases/known_wrong lists ("CASE: why") counts as skipped, and
# fails once it is right.

cases_all()
{
	local f
	for f in tests/cases/*/*/expect.json; do echo "${f%/expect.json}"; done
	sed -n 's,^\([a-z0-9-]*\): .*,tests/cases/healthy/\1,p' \
		tests/cases/healthy/inputs
}

# CASE FOLDER: makes its inputs there; its options and expectations stand in
# $out.options and $out.expect.
make_case()
{
	local case=$1
	: >"$out.options"
	echo : >"$out.make"
	if [ -e "$case/expect.json" ]; then
		cp "$case/expect.json" "$out.expect"
		cp -r "$case"/in* "$2" 2>/dev/null
		cp "$case/options" "$out.options" 2>/dev/null
		cp "$case/make" "$out.make" 2>/dev/null
	else
		cp tests/cases/healthy/expect.json "$out.expect"
		sed -n "s/^${case##*/}: //p" tests/cases/healthy/inputs >"$out.make"
	fi
	(cd "$2" && clean_env "$3" timeout "$HANG" sh -e "$out.make" >"$out.log" 2>&1)
}

run_cases()
{
	local dir=$1 case=$2 name=cases/${2#tests/cases/} why wrong san_log=''
	mkdir "$out.cwd"
	make_case "$case" "$out.cwd" "$dir" ||
		echo "its inputs cannot be made" >>"$out.log"
	# shellcheck disable=SC2016,SC2046  # for the inner shell; several words
	(cd "$out.cwd" && clean_env "$dir" timeout "$HANG" \
		sh -c 'rm -f in*.truth.json; netan check -q --format json "$@" in*' sh $(cat "$out.options")) \
		>"$out.json" 2>>"$out.log" || echo "exit status $?" >>"$out.log"
	awk -f tests/cases.awk "$out.expect" "$out.json" >>"$out.log"
	wrong=$(cat "$out.log")
	why=$(sed -n "s,^${name#cases/}: ,,p" tests/cases/known_wrong)
	rm -rf "$out.cwd"
	if [ -n "$why" ] && [ -n "$wrong" ]; then
		verdict "skip: $name: known to be wrong: $why"
	elif [ -n "$why" ]; then
		verdict "FAIL $name: right now: take it out of tests/cases/known_wrong"
	elif [ -n "$wrong" ]; then
		verdict "FAIL $name"
		indent "$out.log"
	else
		verdict "pass $name"
	fi
}
