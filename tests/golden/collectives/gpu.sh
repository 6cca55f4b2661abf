# What is found in a session on GPUs is what its truth says.
netan synth -o g --run r --profile gpu --hosts 3 --devices 4 --steps 5 \
	--fault slow-compute:1:1.2 >/dev/null
netan collectives g
netan collectives g --format csv |
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	{ print $at["collective"], $at["executions"],
		sprintf("%.0f", $at["total_s"] * 1e12),
		sprintf("%.0f", $at["waiting_us.mean"] * $at["executions"] * 1e6),
		$at["bytes"] / $at["executions"], $at["instances"] }' |
	sort >found
sed -n '/"gpu_collectives"/,/"device_steps"/p' g/truth.json | tr -d ' \n' |
	sed 's/{"op":/\n/g' | awk '
	/^".*"kernels"/ { split($0, part, /[:,]/); op = part[1]; gsub(/"/, "", op)
		n = busy = wait = 0; text = $0
		while (match(text, /"kernels":[0-9]+/)) {
			n += substr(text, RSTART + 10, RLENGTH - 10)
			text = substr(text, RSTART + RLENGTH) }
		text = $0
		while (match(text, /"busy_ps":[0-9]+/)) {
			busy += substr(text, RSTART + 10, RLENGTH - 10)
			text = substr(text, RSTART + RLENGTH) }
		text = $0
		while (match(text, /"waiting_ps":[0-9]+/)) {
			wait += substr(text, RSTART + 13, RLENGTH - 13)
			text = substr(text, RSTART + RLENGTH) }
		match($0, /"bytes":[0-9]+/)
		bytes = substr($0, RSTART + 8, RLENGTH - 8)
		printf "%s %d %.0f %.0f %d %d\n", op, n, busy, wait, bytes,
			gsub(/"transfer_ps"/, "") }' |
	sort >wanted
wc -l <wanted
diff wanted found
