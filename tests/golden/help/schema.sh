# One whole document for each command that writes JSON.
for c in info timeline; do
	netan help --schema $c >$c.json || echo "exit $?"
	sed -n 2,4p $c.json
	grep -c '"envelope": {' $c.json
	tail -n 1 $c.json
	if command -v jq >/dev/null; then
		jq -e '.["$defs"].envelope.required | length == 8' $c.json
	else
		echo true
	fi
done
