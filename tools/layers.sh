#!/usr/bin/env bash
# The folder is the layer, and includes point one way.  Reads every
# #include of netan/, ingest/ and plot/, however deep, and says which ones the
# table below does not allow, and which folders are too full to find one's way
# in.  Long files and functions are only remarked on: clear code may be long.
set -u
cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C

base='netan/base/*'
# members.h is made from the tables of members, commit.h says what is built.
results="$base|netan/result/*|members.h"
facts="$results|netan/model/*|netan/stats/*"
judging="$facts|netan/methods/*|netan/judge/judge.h|netan/judge/explain.h|netan/judge/units.h|netan/judge/causes.def|netan/evidence/*|netan/analyses/analysis.h"
# facts.h is made from the tables of facts.
phrases='netan/phrases/phrases.h|facts.h'
reading='ingest/input.h|ingest/slice.h|ingest/bytes/*|ingest/json/*|netan/model/sink.h'
for record in transfer device comm gpu/kernels packets queue_pair hlo hosts/settings logs/hang logs/recorder logs/xla_log; do
	reading+="|netan/model/$record.h"
done
reading+="|$base|netan/model/hosts/settings.def"

# What a file may include; its own room always.
allowed()
{
	case $1 in
	# Made of its table by tools/calls.c.
	netan/base/sandbox/calls.c) echo "$base|calls_made.h" ;;
	netan/base/pseudonyms.c) echo "$base|said.h" ;;
	netan/base/*) echo "$base" ;;
	netan/model/*) echo "$base|netan/model/*" ;;
	netan/stats/*) echo "$base|netan/stats/*" ;;
	netan/result/*) echo "$results" ;;
	netan/world/*) echo "$base" ;;
	netan/judge/*) echo "$base|netan/stats/*|netan/judge/*" ;;
	netan/evidence/*) echo "$base|netan/model/*|netan/stats/*|netan/judge/*|netan/evidence/*" ;;
	netan/methods/*) echo "$facts|netan/judge/*|netan/methods/*" ;;
	netan/phrases/*) echo "$base|netan/phrases/*|facts.h" ;;
	netan/analyses/*) echo "$judging|$phrases" ;;
	netan/checks/*) echo "$judging|$phrases|netan/checks/*" ;;
	netan/synth/*) echo "$base|netan/model/*|netan/stats/*|netan/methods/*|netan/synth/*" ;;
	netan/report/*) echo "$results|plot/*" ;;
	netan/engine/*) echo "$judging|netan/analyses/*|netan/checks/*|netan/synth/*|netan/world/*|netan/engine/*|ingest/*" ;;
	netan/exports/*) echo "$judging|netan/engine/*|netan/exports/*" ;;
	netan/cli/main*.c) echo "$base|netan/*|commit.h" ;;
	netan/cli/*) echo "$results|netan/*|ingest/*|plot/*" ;;
	ingest/bytes/* | ingest/json/*) echo "$base" ;;
	# They write packets anew, and know what those who follow them read.
	ingest/capture/slice/*)
		echo "$reading|ingest/transfer_file/bytes.h|ingest/capture/*|ingest/calls/*|ingest/roce/*|ingest/tcp/*" ;;
	# They lead the packets to those who follow them.
	ingest/capture/capture.? | ingest/capture/read.c)
		echo "$reading|ingest/calls/*|ingest/roce/*|ingest/tcp/*" ;;
	ingest/roce/*) echo "$reading|ingest/capture/*|ingest/tcp/rtt.h" ;;
	ingest/tcp/*) echo "$reading|ingest/capture/*" ;;
	ingest/calls/*) echo "$reading|ingest/capture/*|ingest/tcp/*" ;;
	# Logs hold lines of NCCL's beside others.
	ingest/logs/hang_read.c) echo "$reading|ingest/nccl/*" ;;
	# What is left of an XSpace is one.
	ingest/xspace/cut*) echo "$reading|ingest/hlo/*|ingest/transfer_file/bytes.h" ;;
	# Both hold programs.
	ingest/transfer_file/* | ingest/xspace/*) echo "$reading|ingest/hlo/*" ;;
	# Of JAX it makes an XSpace; of a slice a document anew.
	ingest/kineto/jax* | ingest/kineto/cut* | ingest/kineto/bare*) echo "$reading|ingest/transfer_file/bytes.h" ;;
	ingest/kineto/* | ingest/nccl/* | ingest/nsight/* | ingest/recorder/*)
		echo "$reading|ingest/gpu/*" ;;
	ingest/profiler/*) echo "$reading|ingest/gpu/*|ingest/nccl/names.h" ;;
	# Their names say nothing.
	ingest/discover/*) echo "$reading|ingest/discover.h|ingest/recorder/recorder.h" ;;
	ingest/*) echo "$reading" ;;
	plot/*) echo "$results|plot/*" ;;
	esac
}

# What an analysis shows to its neighbours: NAME/NAME.h.
door()
{
	local room=${2%/*}
	case $1:$2 in
	netan/analyses/*:netan/analyses/*/* | netan/checks/*:netan/analyses/*/*)
		[[ ${2##*/} == "${room##*/}.h" ]] ;;
	*) false ;;
	esac
}

# Libraries that one layer has to itself.
allowed_library()
{
	# It asks each for its version, and for nothing else.
	[[ $1 != netan/cli/version/version.c ]] || return 0
	case $2 in
	gsl/*) [[ $1 == netan/stats/* || $1 == netan/cli/program.c ]] ;;
	cairo* | fontconfig/*) [[ $1 == plot/canvas* ]] ;;
	pcap*) [[ $1 == ingest/capture/live.? || $1 == ingest/capture/filter.? ]] ;;
	sqlite3*) [[ $1 == netan/base/sqlite.c || $1 == ingest/nsight/db.? || $1 == netan/exports/sqlite/* ]] ;;
	nghttp2*) [[ $1 == ingest/calls/hpack.? ]] ;;
	mpi.h) [[ $1 == netan/world/world_mpi.c ]] ;;
	linux/seccomp.h) [[ $1 == netan/base/sandbox/calls.c ]] ;;
	linux/landlock.h) [[ $1 == netan/base/sandbox/landlock.c ]] ;;
	nettle/*) [[ $1 == netan/base/sha256.c ]] ;;
	esac
}

# Folders of more than 25 files, and why.
crowded()
{
	case $1 in
	netan/base) ;; # each used everywhere, none the part of another
	netan/cli/commands) ;; # one for each command, and what two of them share
	*) false ;;
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

mapfile -t files < <(find netan ingest plot -name '[a-z]*.[ch]' -o -name '[a-z]*.def' | sort)
last=''
while IFS=: read -r f line what; do
	[[ $f == "$last" ]] || may="${f%/*}/*|$(allowed "$f")"
	last=$f
	case $what in
	\"*) what=${what//\"/}
		matches "$what" "$may" || door "$f" "$what" || complain "$f:$line: ${f%/*} may not include $what" ;;
	\<*) what=${what//[<>]/}
		allowed_library "$f" "$what" || complain "$f:$line: ${f%/*} may not include <$what>" ;;
	esac
done < <(grep -n -H -E '^[ 	]*#[ 	]*include[ 	]*["<]' "${files[@]}" |
	sed -E 's/^([^:]*:[0-9]+:)[^"<]*(["<][^">]*[">]).*/\1\2/')

while read -r n folder; do
	((n <= 25)) || crowded "$folder" || complain "$folder: $n files; over 25 want rooms, or a reason here"
done < <(printf '%s\n' "${files[@]%/*}" | sort | uniq -c)

mapfile -t ours < <(printf '%s\n' "${files[@]}"; find tests -name '[a-z]*.[ch]' | sort)
awk 'function told() { if (n > 800) print "note: " file ": " n " lines; has a part of it a name of its own?" }
	FNR == 1 { told(); file = FILENAME; start = 0 }
	{ n = FNR }
	/^{/ { start = FNR }
	/^}/ && start { if (FNR - start > 101)
		print "note: " file ":" start ": a function of " FNR - start - 1 " lines"
		start = 0 }
	END { told() }' "${ours[@]}"
exit $status
