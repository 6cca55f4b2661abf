# One page of a run with a fault: its parts, and what makes it a good page.
netan synth -o t --run r --hosts 3 --devices 2 --steps 6 \
	--fault slow-sender:1:4 >/dev/null
netan report t --capacity 100Gbps -o p.html || exit 1
echo "headings"
grep -o '<h[12]>[^<:]*' p.html
grep -o '<section id="[a-z-]*"' p.html | tr '\n' ' '
echo
echo "verdict"
sed -n 's/.*<p class="verdict \([a-z]*\)"><strong>\([^<,]*\).*/\1: \2/p' p.html
echo "findings"
sed -n 's/.*class="finding \([a-z]*\)".*/\1/p' p.html | sed 1q
echo "options stay with their commands"
grep -o '<code class="nb">[^<]*</code>' p.html | sort -u
echo "hashes: of each file, as sha256sum says them"
for f in t/plugins/profile/r/*.pb; do
	set -- $(sha256sum "$f")
	grep -c "$1" p.html
done
echo "figures: each with a title, and ids of its own"
grep -o '<figure id="[a-z-]*"' p.html | tr '\n' ' '
echo
grep -c '<title id=' p.html
grep -o ' id="[^"]*"' p.html | sort | uniq -d
echo "links within the page lead somewhere"
for a in $(grep -o 'href="#[a-z-]*"' p.html | sed 's/.*#//; s/"//'); do
	grep -q "id=\"$a\"" p.html || echo "nowhere: $a"
done
echo "nothing is loaded from anywhere"
grep -o -E '(src|href|url|import|xlink:href)[=(]["'\'']?[^#"'\''>) ]{4,40}' p.html |
	grep -v '^href=$'
grep -o 'http[s]*:[^ "<]*' p.html | sort -u
grep -o "default-src 'none'" p.html
[ "$(wc -c <p.html)" -lt 5242880 ] && echo "below 5 MiB"
echo "the same bytes with one thread and with several"
netan report t --capacity 100Gbps -j1 -o one.html
netan report t --capacity 100Gbps --threads=3 -q -o three.html
cmp p.html one.html && cmp p.html three.html && echo same
echo "findings decide the exit status where that is asked for"
netan report t -o q.html --fail-on error
echo "exit $?"
netan report t -o q.html --fail-on warning --host host-2
echo "exit $?"
