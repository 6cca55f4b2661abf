# The commands that a page prints work, and look at the same.
netan synth -o "a job" --run r --hosts 2 --devices 2 --steps 4 >/dev/null
netan report -c 100Gbps "a job" --from 10ms --src 's0*' -qo p.html --title "it's" || exit 1
plain()
{
	sed 's/&#39;/'\''/g; s/&quot;/"/g; s/&lt;/</g; s/&gt;/>/g; s/&amp;/\&/g'
}
sed -n 's/.*again:<\/span> <code>\(.*\)<\/code>.*/\1/p' p.html | plain >lines
cat lines
sh -e lines 2>&1 || exit 1
ls *.svg *.json
cmp p.html report.html && echo same
sed -n 's/.*<p class="headline">\([^<]*\)<.*/\1/p' p.html | grep '^timeline'
grep -o '"used": *[0-9]*' timeline.json
