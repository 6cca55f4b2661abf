# Names of files and a title that would be markup, if nobody took care.
netan synth -o t --run r --hosts 2 --devices 1 --steps 3 >/dev/null
mkdir 'a <b> & "c"'
cd 'a <b> & "c"' || exit 1
cp ../t/plugins/profile/r/host-0.xplane.pb '<img src=x onerror=alert(1)>.xplane.pb'
cp ../t/plugins/profile/r/host-1.xplane.pb "$(printf "'\"]]>--\342\200\256&lt;\033[1m.xplane.pb")"
cd .. || exit 1
netan report 'a <b> & "c"' -o p.html \
	--title '</title></script><script>alert(1)</script>' || exit 1
grep -c '<img' p.html
grep -c '<script' p.html
grep -c '<script type="application/json"' p.html
sed -n 's/.*<title>\(.*\)<\/title>.*/\1/p' p.html | sed 1q
grep -o '<th scope="row">a &lt;b[^ ]* [^ ]* [^<]*' p.html
grep -c "$(printf '\033')" p.html
grep -c "$(printf '\342\200\256')" p.html
if command -v tidy >/dev/null; then tidy -q -e p.html 2>&1 |
	grep -v '<title> proprietary attribute "id"'; fi
exit 0
