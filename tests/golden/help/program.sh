# The list of commands is left out: it grows.
netan --help | sed '/^Commands:/,/^$/d'
netan --help | cksum >a
netan help | cksum | cmp - a
netan -h | sed "/^Commands:/,/^$/d"
# What -h says is seen at once: of a screen of 24 rows and 80 columns.
netan -h | sed -n 's/^  \([a-z-]*\)  .*/\1/p' >names
grep -c . names
while read -r c; do
	netan "$c" -h >screen
	[ "$(wc -l <screen)" -le 24 ] || echo "$c -h is more than a screen"
	awk '{ n = $0; gsub(/[\200-\277]/, "", n); if (length(n) > 80) print }' \
		screen
	n=$(grep -c '^ *-' screen)
	[ "$n" -eq 10 ] || echo "$c shows $n"
	grep -q "netan $c --help" screen || echo "$c -h does not name --help"
done <names
