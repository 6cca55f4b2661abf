# Device planes: slack, steps and collectives.  Read by bench.sh.
# shellcheck shell=bash disable=SC2016,SC2034

# FILE: events of its device planes: ops nearly all.
device_events()
{
	"$NETAN" info -q --format csv --table planes "$1" |
		awk -F, '$1 ~ /^\/device:[TG]PU:/ { n += $3 } END { print n }'
}

# NAME OPS COMMAND: works within 22 bytes for each of so many device ops, and
# 64 MiB?
within_op_memory()
{
	within "$1" $((22 * $2 + (64 << 20))) "$3"
}

# As many collectives in both, but many more ops between them in the second.
make_device_files()
{
	local job="--hosts 2 --devices 4 --only host-0 --steps 1500 --collectives 4"

	# shellcheck disable=SC2086  # words on purpose
	make_file few-ops $job --ops 2
	FEW_OPS=$file
	# shellcheck disable=SC2086
	make_file many-ops $job --ops 40
	MANY_OPS=$file
	export FEW_OPS MANY_OPS
}

bench_devices()
{
	local ops few name

	ops=$(device_events "$TYPICAL")
	few=$(device_events "$FEW_OPS")
	for name in slack steps collectives; do
		export ANALYSIS=$name
		measure '"$NETAN" "$ANALYSIS" -q -j 1 -o "$WORK/d.json" "$TYPICAL"' \
			'"$BIN/yardstick" "$TYPICAL" >"$WORK/d.txt"' \
			'"$NETAN" "$ANALYSIS" -q -j 1 -o "$WORK/d.json" "$TYPICAL_QUARTER"'
		at_most "typical, $name, -j 1, cpu" "${CPU[0]}" "${CPU[1]}" 3
		at_most "typical, $name, four times the file, cpu" \
			"${CPU[0]}" "${CPU[2]}" 4.4
		say "$(calc '%.1f million device ops/s' "$ops / ${WALL[0]} / 1e6")"
	done
	within_op_memory "slack, $ops device ops" "$ops" \
		'"$NETAN" slack -q -o "$WORK/d.json" "$TYPICAL"'
	within_op_memory "steps, $ops device ops" "$ops" \
		'"$NETAN" steps -q -o "$WORK/d.json" "$TYPICAL"'
	within_op_memory "slack, few other ops" "$few" \
		'"$NETAN" slack -q -o "$WORK/d.json" "$FEW_OPS"'
	within_op_memory "slack, $(device_events "$MANY_OPS") ops, as if $few" \
		"$few" '"$NETAN" slack -q -o "$WORK/d.json" "$MANY_OPS"'
	within_op_memory "steps, $(device_events "$MANY_OPS") ops" \
		"$(device_events "$MANY_OPS")" \
		'"$NETAN" steps -q -o "$WORK/d.json" "$MANY_OPS"'
}
