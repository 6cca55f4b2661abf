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
# What a schema refers to is in it.
for c in $(netan completion bash | sed -n "s/.*compgen -W '\(.*\) --help --version'.*/\1/p"); do
	netan help --schema "$c" >schema.json 2>/dev/null || continue
	for name in $(grep -o '#/$defs/[A-Za-z0-9_]*' schema.json | sort -u); do
		grep -q "^    \"${name##*/}\": {" schema.json || echo "$c: there is no ${name##*/}"
	done
done
