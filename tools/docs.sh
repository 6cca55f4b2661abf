#!/bin/sh
# The pages of the commands in DIR, as the program PAGES prints them.  What
# stands between the two marks of a page there is written by hand, and stays.
#
#	tools/docs.sh [-n] PAGES DIR
#
# -n writes nothing, says what would change, and fails if anything would.
set -eu

dry=
if [ "$1" = -n ]; then
	dry=yes
	shift
fi
pages=$1
dir=$2
commands=$(cd "$(dirname "$0")/../netan" &&
	sed -n -E 's/^NA_(COMMAND|ANALYSIS|PACKET_ANALYSIS)\(([a-z_]*).*/\2/p' \
		cli/commands.def analyses/analyses.def | tr _ -)
new=$(mktemp)
trap 'rm -f "$new"' EXIT
wrong=0

# FILE [COMMAND]: the page, with the notes of FILE, becomes FILE.
put()
{
	file=$1
	shift
	if [ -z "$dry" ] && [ ! -e "$file" ]; then : >"$file"; fi
	"$pages" "$@" | awk -v old="$file" '
	{ print }
	/^<!-- notes: / {
		while ((getline line <old) > 0) {
			if (line ~ /^<!-- end of notes -->/)
				inside = 0
			if (inside)
				print line
			if (line ~ /^<!-- notes: /)
				inside = 1
		}
	}' >"$new"
	[ -s "$new" ] || exit 1
	if [ -n "$dry" ]; then
		diff -u "$file" "$new" || wrong=1
	else
		cmp -s "$new" "$file" || cat "$new" >"$file"
	fi
}

mkdir -p "$dir"
put "$dir/README.md"
for c in $commands; do
	put "$dir/$c.md" "$c"
done
for file in "$dir"/*.md; do
	name=$(basename "$file" .md)
	case " README $(echo $commands) " in
	*" $name "*) ;;
	*) echo "$file: there is no such command"; wrong=1 ;;
	esac
done
exit $wrong
