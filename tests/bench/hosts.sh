# Sessions of many tiny hosts: how time and memory grow with their number.
# HOSTS="1000 20000" are the sizes; growth is from the first to the last.
# Read by bench.sh.
# shellcheck shell=bash disable=SC2016,SC2034

make_hosts()
{
	HOSTS=${HOSTS:-1000 4096 10000 20000}
	for h in $HOSTS; do
		make_file "hosts-$h" --profile fleet --hosts "$h" --steps 4
	done
}

# The exponent of growth from A at the first size to B at the last.
exponent()
{
	calc %.2f "log(($2 + 1e-9) / ($1 + 1e-9)) / log(${HOSTS##* } / ${HOSTS%% *})"
}

# NAME UNIT FIRST LAST: it grows no faster than hosts^1.2.
grows()
{
	local e
	e=$(exponent "$3" "$4")
	row "$1, ${HOSTS%% *} and ${HOSTS##* } hosts" "$(calc '%.2f' "$4") $2" \
		"$(calc '%.2f' "$3") $2" "^$e" "<= ^1.2" "$(calc %d "($e <= 1.2)")"
}

# Memory is the peak without what the program takes for --version.
bench_hosts()
{
	local h k names commands=() cpu mem own
	local -A took held_mib

	mapfile -t names < <(echo info
		sed -n 's/^NA_ANALYSIS(\(.*\))$/\1/p' \
			"$BENCH_SOURCE/../../netan/analyses/analyses.def"
		echo check)
	for k in "${names[@]}"; do
		commands+=("\"\$NETAN\" $k -q -j 1 -o \"\$WORK/h.json\" \"\$INPUT\" 2>/dev/null || true")
	done
	RUNS=1 measure '"$NETAN" --version >"$WORK/h.txt"'
	own=${PEAK[0]}
	for h in $HOSTS; do
		export INPUT=$WORK/hosts-$h
		for k in "${!names[@]}"; do
			RUNS=1 measure "${commands[k]}"
			took[${names[k]},$h]=${CPU[0]}
			held_mib[${names[k]},$h]=$(calc %.2f "(${PEAK[0]} - $own) / 1024")
		done
	done
	say "cpu s / MiB at$(printf ' %s' $HOSTS) hosts"
	for k in "${names[@]}"; do
		cpu='' mem=''
		for h in $HOSTS; do
			cpu+=$(printf ' %8.2f' "${took[$k,$h]}")
			mem+=$(printf ' %8.1f' "${held_mib[$k,$h]}")
		done
		say "$(printf '%-12s' "$k")$cpu  /$mem"
	done
	for k in "${names[@]}"; do
		grows "$k, cpu" s "${took[$k,${HOSTS%% *}]}" "${took[$k,${HOSTS##* }]}"
		grows "$k, memory" MiB "${held_mib[$k,${HOSTS%% *}]}" \
			"${held_mib[$k,${HOSTS##* }]}"
	done
	h=${HOSTS##* }
	at_most "check of $h hosts, against info, cpu" "${took[check,$h]}" \
		"${took[info,$h]}" 4
	k=$(calc %.1f "${held_mib[check,$h]} * 1024 / $h")
	row "check of $h hosts, memory of each" "$k KiB" "40 KiB" "" "<= 40 KiB" \
		"$(calc %d "($k <= 40)")"
}
