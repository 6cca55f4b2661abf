# No line of any help is wider than 80 columns, and words are found by how
# they begin, or by what was meant.
netan completion bash | sed -n "s/.*compgen -W '\(info .* help\) --help.*/\1/p" |
	tr ' ' '\n' | sed '/^$/d' >names
grep -c . names
while read -r name; do
	netan "$name" -h
	netan "$name" --help
done <names >all
netan --help >>all
netan help --tables >>all
netan help --settings | grep -v "^The file: " >>all
netan help --words >>all
awk '{ n = $0; gsub(/[\200-\277]/, "", n); if (length(n) > 80) print }' all
netan help --words own
netan help --words spred
echo "exit $?"
# Words that headers and sentences use, and that no dictionary has so.
for word in exposed behind 'own cost' spread side mix slack stall pending \
	straggler typical overlap gap waiting skew expected suspect guilty \
	certain likely possible 'seen in' tx; do
	netan help --words "$word" >/dev/null || echo "$word: not there"
done
