#!/usr/bin/env bash
# The folder is the layer, and includes point one way.  Reads every
# #include of netan/, ingest/ and plot/ and says which ones the table below
# does not allow; also which files are over 600 lines.  Functions over 100
# lines are only remarked on: a flat table or switch may be long.
set -u
cd "$(dirname "$0")/.." || exit 1

base='netan/base/*'
results="$base|netan/result/*"
everything='netan/*|ingest/*|plot/*|*.pb-c.h'

# What a file may include; its own folder always.
allowed()
{
	case $1 in
	netan/base/*) ;;
	netan/model/* | netan/stats/* | netan/result/*) echo "$base" ;;
	netan/synth/*) echo "$base|xplane.pb-c.h" ;;
	netan/localise/*) echo "$base|netan/stats/*" ;;
	netan/checks/* | netan/report/*) echo "$results" ;;
	netan/analyses/*) echo "$results|netan/model/*|netan/stats/*|netan/localise/*" ;;
	netan/cli/*) echo "$everything" ;;
	ingest/*) echo "$base|netan/model/transfer.h|netan/model/sink.h|netan/model/packets.h|netan/model/device.h|netan/model/hlo.h|netan/model/hosts/settings.h|netan/model/hosts/settings.def|netan/model/logs/xla_log.h|netan/model/logs/hang.h|xplane.pb-c.h" ;;
	plot/*) echo "$results" ;;
	esac
}

# Libraries that one layer has to itself.
allowed_library()
{
	case $2 in
	gsl/*) [[ $1 == netan/stats/* || $1 == netan/cli/main.c ]] ;;
	cairo*) [[ $1 == plot/canvas* ]] ;;
	pcap*) [[ $1 == ingest/live* || $1 == ingest/capture_filter* ]] ;;
	nghttp2*) [[ $1 == ingest/hpack* ]] ;;
	nettle/*) [[ $1 == netan/base/sha256.c ]] ;;
	esac
}

matches()
{
	local - one IFS='|'
	set -f
	for one in $2; do
		# shellcheck disable=SC2053  # a pattern on purpose
		[[ $1 == $one ]] && return
	done
	return 1
}

status=0
complain() { echo "$*"; status=1; }

shopt -s nullglob
files=(netan/*/*.[ch] netan/*/*.def ingest/*.[ch] ingest/*.def plot/*.[ch] plot/*.def)
for f in "${files[@]}"; do
	may="${f%/*}/*|$(allowed "$f")"
	while IFS=: read -r line what; do
		case $what in
		\"*) matches "${what//\"/}" "$may" ||
			complain "$f:$line: ${f%/*} may not include $what" ;;
		\<*) what=${what#<}
			allowed_library "$f" "${what%>}" ||
			complain "$f:$line: ${f%/*} may not include <$what" ;;
		esac
	done < <(sed -n -E '/^[ \t]*#[ \t]*include[ \t]*["<]/ { =; s/^[^"<]*(["<][^">]*[">]).*/\1/p }' "$f" |
		paste -d: - -)
done

for f in "${files[@]}" tests/*/*.[ch]; do
	n=$(wc -l <"$f")
	((n <= 600)) || complain "$f: $n lines; over 600 is two files"
	awk -v f="$f" '/^{/ { start = NR }
		/^}/ && start { if (NR - start > 101)
			print "note: " f ":" start ": a function of " NR - start - 1 " lines"
			start = 0 }' "$f"
done
exit $status
