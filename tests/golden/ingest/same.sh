# An analysis of a transfer file says the same as of the original, but for the
# input's own name, format and size.
same()
{
	local original=$1
	shift
	netan ingest -o "$original.netan" "$original" >/dev/null 2>&1
	for c in info timeline latency sizes bursts rpc pairs; do
		for f in "$original" "$original.netan"; do
			netan $c "$f" "$@" --format json 2>"$f.err" |
				sed -E 's/^( *"(path|format)":).*/\1/; s/^( *"bytes": [0-9]*,)$//' |
				awk '/"inputs"/ { on = 1 } /"origin/ { on = 0 }
				     !(on && /"bytes"/)' >"$f.json"
			wc -l <"$f.err" >>"$f.json"
		done
		if cmp "$original.json" "$original.netan.json"
		then echo "$c $*: same"
		else diff "$original.json" "$original.netan.json" | head; fi
	done
}
netan synth -o new --hosts 3 --steps 3 --seed 3 >/dev/null
netan synth -o old --hosts 3 --steps 3 --generation message >/dev/null
netan synth -o both --hosts 3 --steps 3 --generation both \
	--fault loopback:0:20 --fault no-latency:1:30 --fault bad-key:2:9 \
	--fault registration:0:4 --fault copy:1:5 --fault clock:2:3ms \
	--fault truncate:1:0.7 >/dev/null
for session in new old both; do
	same $session
done
same new --by host,collective,transfer_type 2>&1 | grep -v info
same both --include-loopback 2>&1 | grep -v info
