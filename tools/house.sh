#!/usr/bin/env bash
# Measures the house: lines by room, English outside of netan/phrases, share
# of comments, names that functions share, words of the documents, and words
# that CONTRIBUTING asks to avoid.  Compares with tools/house.budget: a row
# "NAME LIMIT" each; a line starts with "at-least" where more is better.
# A commit that raises a limit gives its reason in its body.
#
#	house.sh	compare, print only what is exceeded
#	house.sh -v	print the tables, too
#	house.sh -u	rewrite the limits with what is measured
set -u
cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
budget=tools/house.budget

find netan ingest plot -name '*.[ch]' -o -name '*.def' | sort |
	xargs awk -f tools/house.awk >"$tmp/all"
grep -v '^@' "$tmp/all" | sort >"$tmp/rooms"
grep '^@' "$tmp/all" | cut -f 2- | sort >"$tmp/functions"

# Words that a reader who does not know the project stumbles over.
dialect='tells|told|hears|heard|testimony|accus(e|es|ed|ing)|acquit(s|ted)?'
dialect+='|culprits?|guilty|innocent|victims?|court|alike|beside|whom|nobody'
dialect+='|somebody|left out|stands in|mend(s|ed)?'

words_of()
{
	find "$@" -name '*.md' -exec cat {} + | wc -w
}

count_lines()
{
	find "$@" \( -name '*.[ch]' -o -name '*.def' -o -name '*.proto' \) \
		-exec cat {} + | wc -l
}

measure()
{
	awk -F '\t' '{
		c += $2; cc += $3; h += $4; hc += $5
		if ($1 != "netan/phrases") { phrases += $6; words += $7 }
	}
	END {
		print "phrases-outside", phrases
		print "words-outside", words
		printf "comments-of-c %.2f\n", 100 * cc / c
		printf "comments-of-h %.2f\n", 100 * hc / h
	}' "$tmp/rooms"
	echo "product-lines $(count_lines netan ingest plot)"
	echo "test-lines $(count_lines tests)"
	awk -F '\t' '{
		n[$1]++
		file[$1, $2] || files[$1]++
		file[$1, $2] = 1
		# Branches of an #if define a name once; each program has a main.
		if ($3 == "external" && $1 != "main" && !outside[$1, $2]++)
			external[$1]++
		fixed[$1] += $3 == "static"
	}
	END {
		for (f in n) {
			if (n[f] > 1) shared += n[f]
			if (external[f] > 1) twice += external[f]
			if (fixed[f] && files[f] > 3) many += fixed[f]
		}
		print "shared-names", shared + 0
		print "external-names-twice", twice + 0
		print "static-names-in-many", many + 0
	}' "$tmp/functions"
	echo "document-words $(words_of docs README.md CONTRIBUTING.md SECURITY.md)"
	echo "changelog-words $(wc -w <CHANGELOG.md)"
	echo "dialect $(find netan ingest plot docs README.md CONTRIBUTING.md \
		SECURITY.md -name '*.[ch]' -o -name '*.def' -o -name '*.md' |
		xargs grep -owiE "$dialect" | wc -l)"
}

measure >"$tmp/now"

if [ "${1-}" = -v ]; then
	printf '%-16s %8s %9s %8s\n' room lines comments phrases
	awk -F '\t' '{
		printf "%-16s %8d %8.1f%% %8d\n", $1, $2 + $4,
			100 * ($3 + $5) / ($2 + $4), $6
	}' "$tmp/rooms"
	echo
fi
awk -v verbose="${1-}" '
	NR == FNR { now[$1] = $2; order[++n] = $1; next }
	$1 == "at-least" { least[$2] = 1; $0 = $2 " " $3 }
	$1 !~ /^#/ && NF { limit[$1] = $2 }
	END {
		for (i = 1; i <= n; i++) {
			k = order[i]
			more = k in least
			worse = now[k] - limit[k]
			if (more)
				worse = -worse
			bad = !(k in limit) || worse > 0
			if (bad || verbose == "-v")
				printf "%-22s %8s, %s %s%s\n", k, now[k],
					(more ? "at least" : "at most"),
					limit[k], (bad ? ": exceeded" : "")
			failed += bad
		}
		if (failed && verbose != "-u")
			print "house: fix these, or raise a limit in " \
				"tools/house.budget and give the reason in " \
				"the commit"
		exit failed > 0
	}' "$tmp/now" "$budget" >"$tmp/said"
failed=$?
if [ "${1-}" = -u ]; then
	awk 'NR == FNR { now[$1] = $2; next }
	/^#/ || !NF { print; next }
	$1 == "at-least" { $3 = now[$2]; print; next }
	{ $2 = now[$1]; print }' "$tmp/now" "$budget" >"$tmp/new" &&
		cp "$tmp/new" "$budget"
	exit
fi
cat "$tmp/said"
exit $failed
