#!/bin/sh
# All names that netan promises to keep (docs/stability.md), sorted, each on a
# line with what it is a name of.  They are asked of the program, as a user
# would; only of metrics the source has all.  Writes an example into the current
# directory.
#
#	tests/names.sh [NETAN]
set -u
export LC_ALL=C COLUMNS=80
netan=${1-netan}
root=$(cd "$(dirname "$0")/.." && pwd)

commands=$("$netan" --help | sed -n 's/^  \([a-z][a-z-]*\)  .*/\1/p' | grep -v -x netan)

# Of one command: options and their words, endings of -o, members in JSON.
command_names()
{
	echo "command $1"
	"$netan" "$1" --help | awk -v c="$1" '
	/^ +(-[A-Za-z], )?--[a-z]/ {
		sub(/^ +/, "")
		if (/^-[A-Za-z],/) {
			print "option", c, substr($1, 1, 2)
			sub(/^-., /, "")
		}
		print "option", c, $1
		n = $2 ~ /^[a-z0-9_|-]+[|][a-z0-9_|-]+$/ ? split($2, word, "|") : 0
		for (i = 1; i <= n; i++)
			print "option", c, $1, word[i]
	}'
	"$netan" "$1" x -o x.nothing 2>&1 | grep -o ' \.[a-z]*\>' |
		sed "s/^ /ending $1 /"
	"$netan" help --schema "$1" 2>/dev/null |
		awk -f "$root/tests/names.awk" -v command="$1"
}

# Columns of what a command prints as CSV when no table is named.
csv_names()
{
	local input=example
	[ "$1" != hang ] || input=ranks
	"$netan" "$1" $input -q --format csv 2>/dev/null | head -n 1 |
		tr , '\n' | sed "s/^/csv $1 /"
}

sqlite_names()
{
	local name
	"$netan" help --tables | awk '
	/^[a-z_]+$/ { print }
	/^Views$/ { views = 1 }
	/^$/ { if (views > 1) exit }
	views && /^  [a-z_]+ / { views = 2; print $1 }' >tables
	while read -r name; do
		"$netan" sql example.sqlite -q --format csv \
			"SELECT * FROM $name LIMIT 0" | head -n 1 |
			tr , '\n' | sed "s/^/sqlite $name /"
	done <tables
	"$netan" help --tables | sed -n '/^Functions/,$p' |
		grep -o '[a-z_]*([a-z, ]*)' | sed 's/^/sql /'
}

prom_names()
{
	sed -n -E \
		-e 's/^FAMILY\(([a-z]+), "([a-z_]+)".*/prom \1 \2/p' \
		-e 's/^LABEL(_BY|_IN)?\(([a-z]+), [^"]*"([a-z_]+)".*/prom \2 label \3/p' \
		-e 's/^SAMPLE\(.*"([a-z_]+)", "([a-z0-9_]+)"\)$/prom label \1 \2/p' \
		"$root/netan/exports/prom/metrics.def"
}

exit_names()
{
	"$netan" help --man netan | awk '
	/^\.SH/ { inside = /EXIT STATUS/ }
	inside && /^[0-9]+$/ { print "exit", $0 }'
}

{
	"$netan" synth -q --hosts 2 --steps 3 -o example
	"$netan" synth -q --profile pytorch --hosts 2 --devices 1 --steps 3 \
		--evidence recorder -o ranks
	"$netan" export -q example -o example.sqlite >&2
	for c in $commands; do
		command_names "$c"
		csv_names "$c"
	done
	sqlite_names
	prom_names
	exit_names
} | sort -u
