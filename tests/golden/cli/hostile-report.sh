# Names that would be markup, formulas, escapes: everywhere they are text.
netan synth -o t --hosts 2 --steps 3 --seed 5 >synth.log 2>&1
run=t/plugins/profile/r
mkdir -p $run
k=0
for f in t/plugins/profile/2*/*.xplane.pb; do
	k=$((k + 1))
	mv "$f" "$run/=1+$k|<img src=x onerror=y>[a](b)\`$(printf '\033]0;x\007\342\200\256\357\277\276\357\277\277')'\"&.xplane.pb"
done
rmdir t/plugins/profile/2*
b=$(printf '\342\200\256')
e=$(printf '\033')
none=$(printf '\357\277[\276\277]')
look()
{
	for f in "$@"; do
		grep -aq "$e" "$f" && echo "$f: an escape"
		grep -aq "$b" "$f" && echo "$f: a bidirectional mark"
		grep -aq "$none" "$f" && echo "$f: U+FFFE or U+FFFF"
		grep -aq '<img' "$f" && echo "$f: an element"
	done
	# A backslash before the bracket makes it no link.
	grep -aqE '[^\\]\]\(b\)' $(ls "$@" | grep 'md$') && echo "a link"
	ls "$@" | wc -l
}
netan report t -o d -o d.html --title "<img src=x>[a](b)$b" -q
look d/report.md d.html
ls d | wc -l
for c in latency pairs steps; do
	netan $c t --by host -o $c.svg -o $c.md -o $c.json -o $c.csv -o $c.png -q \
		2>/dev/null || netan $c t -o $c.svg -o $c.md -o $c.json -o $c.csv -q
	look $c.svg $c.md
	grep -aq "$e" $c.csv $c.json && echo "$c: an escape"
	grep -aq "$none" $c.csv $c.json && echo "$c: U+FFFE or U+FFFF"
done
netan latency t --by host >table 2>stderr
netan info t -v >>table 2>>stderr
netan check t >>table 2>>stderr
netan latency t --host nobody >>table 2>>stderr
grep -aq "$e" table stderr && echo "an escape"
grep -aq "$b" table stderr && echo "a bidirectional mark"
# A spreadsheet takes a cell that begins so for text.
netan latency t --by host --format csv 2>/dev/null | grep -c "^\"\?'=1+"
netan latency t --by host --format csv 2>/dev/null | grep -c '^"\?='
