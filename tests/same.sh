#!/usr/bin/env bash
# Do two builds of netan print the same?  For refactorings.
#
#	tests/same.sh OLD_NETAN NEW_NETAN [COMMAND...]
#
# Runs both on many inputs and compares, byte for byte, all that they print,
# write and return: every command in every format, pictures, reports, help,
# mistakes; and each call of netan in tests/golden, whole, whatever the case
# makes of it.  JSON Schemas are compared as parsed.  With COMMAND... only the
# cases that concern these.  Each difference is told with its command line; the
# last line is "N same, N different", the exit status 1 when any differs.
#
# Inputs are made by OLD_NETAN.  What it prints is kept, by its checksum, below
# NETAN_SAME_CACHE (default: ${TMPDIR:-/tmp}/netan-same).  NETAN_TEST_DATA adds
# real data, JOBS (2) run side by side, KEEP=yes keeps what the new one wrote.
# Called in a worktree, the golden cases are that worktree's.
set -u
if [ $# -lt 2 ]; then
	sed -n '4p' "$0" | sed 's/^#\t/usage: /' >&2
	exit 2
fi
old=$(realpath "$1") new=$(realpath "$2")
shift 2
wanted=" $* "
JOBS=${JOBS:-2}
root=$(git rev-parse --show-toplevel 2>/dev/null)
[ -d "$root/tests/golden" ] || root=$(realpath "$(dirname "$0")/..")
[ -x "$old" ] && [ -x "$new" ] && [ -d "$root/tests/golden" ] || {
	echo "same.sh: two programs, and a worktree of netan, are needed" >&2
	exit 2
}

sum() { cksum | tr ' ' -; }
inputs_version=5
cache=${NETAN_SAME_CACHE:-${TMPDIR:-/tmp}/netan-same}
cache=$cache/$(sha256sum <"$old" | cut -c 1-16)-$inputs_version-$({
	cat "$root"/tests/data/*
	echo "${NETAN_TEST_DATA-}"
} | sum)
mkdir -p "$cache/out" || exit 2
# always of one length, so that a path in a table is as wide as before
w=$(mktemp -d "${TMPDIR:-/tmp}/same-XXXXXXXX") || exit 2
trap '[ -n "${KEEP-}" ] && echo "kept: $w" || rm -rf "$w"' EXIT
ln -s "$root" "$w/root"

# ---- what is run

wants() { [ "$wanted" = "  " ] || [[ $wanted == *" $1 "* ]]; }

# Cases on lines, as a shell reads them: what follows "netan".
say() { if wants "${1%% *}"; then printf '%s\n' "$*"; fi; }

analyses=$(sed -n -E 's/^NA_(PACKET_)?ANALYSIS\(([a-z_]+)\).*/\2/p' \
	"$root/netan/analyses/analyses.def" | tr '_\n' '- ')
faults='slow-sender:1:4 slow-receiver:1:4 slow-host:1:3 slow-path:0:1:5
tail:1:0.05 slow-compute:1:2 slow-reduction:1:4 registration:1:40 copy:1:40
small-slack:all-reduce.1 clock:1:5ms loopback:0:20 no-latency:1:20 bad-key:1:20
program:1 late-input:1:30ms late-input:1:30ms:0.5 large-shard:all-reduce.1:64MiB
stall:all-reduce.1:20ms truncate:1:9000 truncate:1:0.5'
conditions='healthy loss timeout zero-window window-limited idle'

# Every format at once: what lies in files says the same as standard output.
all='-o o.json -o o.csv -o o.tsv -o o.md'

analysis_cases()
{
	local c=$1 f i t
	for i in in/s in/s.netan in/m in/g in/big in/ici in/one/plugins/profile/r/host-1.xplane.pb \
		in/all.pcap in/all.netan in/bare.netan in/data/*.xplane.pb \
		in/data/tcp.pcap in/data/no-threads.netan in/real/xplane/*.pb \
		in/real/pcap/*; do
		case $i in *'*') continue ;; esac
		say "$c $i $all -o o.svg"
	done
	for i in in/s in/all.pcap; do
		for f in table json csv tsv md; do
			say "$c $i --format $f"
		done
		for t in $(tables "$c"); do
			say "$c $i --format csv --table $t"
			say "$c $i --format tsv --table $t"
		done
		for f in component host src dst pair collective transfer_type \
			size step device class label component,host pair,step; do
			say "$c $i --by $f $all -o o.svg"
		done
		say "$c $i --top 2 $all -o o.svg"
		say "$c $i --capacity 10Gbps $all -o o.svg"
		say "$c $i -v --top 1"
		say "$c $i -q --anonymize $all"
		say "$c $i --color always"
		say "$c $i -o o.png"
		say "$c $i -o o.pdf"
		say "$c $i -o o.svg --theme dark --title Net --width 500 --height 300"
		say "$c $i -o o.svg --theme dark --by host --top 1 --width 1200"
		say "$c $i --side tx $all -o o.svg"
		say "$c $i --side rx $all"
		say "$c $i --include-loopback $all"
		say "$c $i --min-size 64KiB --max-rate 50Gbps"
		say "$c $i --max-size 64KiB --min-latency 1ms"
		say "$c $i --from 50ms --to 150ms $all -o o.svg"
		for f in info warning error; do
			say "$c $i --fail-on $f"
		done
		say "$c --label a $i --label b in/b $all -o o.svg"
	done
	for f in network receive send d2h h2d compute graph kernel rpc; do
		say "$c in/s --component $f $all -o o.svg"
	done
	say "$c in/g --component kernel $all"
	say "$c in/all.pcap --component rpc $all -o o.svg"
	say "$c in/all.pcap --component network $all"
	say "$c in/s --step 2 $all -o o.svg"
	say "$c in/s --step 2-4 $all"
	say "$c in/s --host host-1 $all -o o.svg"
	say "$c in/s --src 's0*' --dst 's1*' $all"
	say "$c in/s --collective 'all-reduce*' $all"
	say "$c in/m --line '*' --anchor start"
	say "$c in/m --anchor end"
	say "$c in/s --topology in/racks.csv --by class $all -o o.svg"
	say "$c in/all.pcap --host 10.1.0.1 $all -o o.svg"
	say "$c in/all.pcap --hosts in/hosts.csv $all -o o.svg"
	say "$c in/all.pcap --filter 'tcp port 50051' $all"
	say "$c in/s in/all.pcap"
	say "$c in/b --fail-on warning"
	say "$c in/f/truncate-1-0.5 --strict"
}

mistakes()
{
	local c=$1 i
	for i in in/missing in/empty.pb in/zeros.pb in/garbage in/text.log \
		in/nothing in/cut.pcap in/cut.netan ''; do
		say "$c $i"
		say "$c $i --strict --format json"
		say "$c $i -q $all"
	done
	for i in --nope --top '--top x' '--top -1' '--format xml' '--table nope' \
		'--by nope' '--side up' '--capacity 5' '--from x' '--from 5s --to 1s' \
		'--step 9-1' '--step 99' '--component nope' '--topology in/missing' \
		'--topology in/text.log' '--hosts in/text.log' '--filter "((("' \
		'--fail-on bad' '-o' '-o in/no/such.svg' '-o x.nope' '--host none' \
		'-j 0' '--min-size 5XB' '--anchor nope' '--label' '--width 0' \
		'--theme nope' '--format csv --table nope' '--color nope' '--colour' \
		'--verb' '--strict=3' '-o a.svg -o a.svg' '--gap x' '--bin x' '--help'; do
		say "$c in/s $i"
	done
}

own_options()
{
	local a b x
	for x in in/s in/b in/ici in/f/stall-all-reduce.1-20ms in/g; do
		say "slack $x --reference $all"
		say "slack $x --waterfall -o o.svg --late 2"
		say "slack $x --sort required --late 0 $all"
		say "slack $x --by host --late 1 -o o.svg"
	done
	for x in auto device host; do
		say "pairs in/s --level $x $all -o o.svg"
		say "pairs in/b --level $x --topology in/racks.csv $all -o o.svg"
		say "pairs in/all.pcap --level $x $all -o o.svg"
	done
	for x in 1ms 100ms 1s; do
		say "rpc in/all.pcap --bin $x $all -o o.svg"
		say "timeline in/s --bin $x $all -o o.svg"
		say "timeline in/all.pcap --capacity 1Gbps --bin $x -o o.svg"
		say "bursts in/s --gap $x $all -o o.svg"
	done
	for x in 1 2 3 5 9; do
		say "tcp in/all.pcap --connection $x -o o.svg"
		say "tcp in/all.pcap --connection $x --direction rev -o o.svg"
	done
	say "timeline in/s --capacity 4x200Gbps/2"
	say "timeline in/s --capacity v6e --by host -o o.svg"
	for x in $faults; do
		x=in/f/${x//:/-}
		say "check $x -v"
		say "check $x --capacity 10Gbps $all --fail-on warning"
		say "pairs $x --fail-on error"
		for a in slack steps hlo latency collectives info; do say "$a $x $all"; done
	done
	for x in $conditions; do
		x=in/c/$x.pcap
		say "check $x -v"
		for a in tcp rpc latency pairs timeline info; do
			say "$a $x $all -o o.svg"
		done
	done
	for x in in/s in/g in/all.pcap in/all.netan in/m in/data/tcp.pcap \
		in/data/graph.xplane.pb in/s\ in/all.pcap; do
		for a in table json csv tsv md; do
			say "check $x --format $a"
			say "info $x --format $a"
		done
		say "report $x -o page.html"
		say "report $x -o dir --title 'A title' --capacity 10Gbps"
		say "report $x -o - --anonymize"
		say "ingest $x -o x.netan"
		say "ingest $x --no-frames --anonymize -o x.netan"
	done
	say "report in/f/slow-sender-1-4 -o page.html"
	say "report in/f/slow-host-1-3 -o dir"
	say "report --label a in/s --label b in/b -o page.html"
	say "report in/s"
	say "ingest in/s"
	for a in hlo info check; do
		for x in in/real/xplane/*; do
			case $x in *'*') continue ;; esac
			say "$a $x $all"
			say "$a $x --format table -v"
		done
	done
	for x in in/s in/hlo/host-0 in/hlo in/f/program-1 'in/s in/g'; do
		for a in table json csv tsv md; do say "hlo $x --format $a"; done
		say "hlo $x --top 1 --fail-on error -v"
		for a in $(tables hlo); do say "hlo $x --format csv --table $a"; done
	done
	for x in 'in/s in/b' 'in/s in/repeat' 'in/s in/f/slow-compute-1-2' 'in/s in/g' \
		'in/all.pcap in/c/loss.pcap' 'in/s in/all.pcap' 'in/s in/s' \
		'in/s.netan in/b' 'in/data/graph.xplane.pb in/data/message.xplane.pb' \
		'--label x in/s --label y in/b' 'in/s' 'in/s in/missing'; do
		for a in table json csv tsv md; do say "diff $x --format $a"; done
		for a in $(tables diff); do say "diff $x --format csv --table $a"; done
		say "diff $x -o o.svg --top 2"
		say "diff $x --fail-if 'latency.p99>+1%' --fail-if 'throughput.mean<-5%'"
		say "diff $x --fail-if 'steps.p50>1ms' --fail-if nope"
	done
}

log_cases()
{
	local a c f
	for c in hang xla-metrics; do
		for f in "$cache/in/golden/$c"/*/*; do
			[ -f "$f" ] || continue
			f=in/golden/${f#*/in/golden/}
			say "$c $f $all --fail-on warning"
			say "$c $f --anonymize -v"
		done
		for f in "$cache/in/golden/$c"/*/; do
			f=in/golden/${f#*/in/golden/}
			for a in table json csv tsv md; do say "$c $f --format $a"; done
			for a in $(tables $c); do say "$c $f --format csv --table $a"; done
			say "$c $f --top 1"
		done
		say "$c in/all.pcap"
	done
	for f in "$cache/in/golden/sysctl"/*/*/; do
		[ -d "$f/proc" ] || continue
		f=in/golden/${f#*/in/golden/}
		for a in table json csv tsv md; do say "sysctl --root $f --format $a"; done
		for a in $(tables sysctl); do say "sysctl --root $f --format csv --table $a"; done
		say "sysctl --root $f --bandwidth 100Gbps --rtt 20ms --fail-on info -v"
		say "sysctl --root $f --snapshot snap"
		say "check in/s --host-settings $f -v"
	done
	say "sysctl --root in/missing"
	say "sysctl --root in/s"
	say "sysctl --root in/text.log"
}

synth_cases()
{
	local p x g
	for p in session gpu; do
		for g in graph message both; do
			say "synth -o t --run r --profile $p --generation $g --hosts 2 --devices 2 --steps 3"
		done
		say "synth -o t --run r --profile $p --hosts 4 --slices 2 --ici 2 --devices 2 --steps 2 --pattern ring"
		say "synth -o t --run r --profile $p --hosts 2 --steps 2 --compress gzip --hlo-dump h --repeat 1"
	done
	for p in typical network; do
		say "synth -o t --run r --profile $p --events 3000"
		say "synth -o t --run r --profile $p --events 3000 --generation both --seed 5"
	done
	for x in $faults nope slow-host:9:3 slow-host:1 tail:1:7 clock:1:x; do
		say "synth -o t --run r --hosts 2 --devices 1 --steps 3 --fault $x"
	done
	for x in hlo long-names steps modules dcn-info done-rendezvous channels \
		run-ids local-ids inputs nope; do
		say "synth -o t --run r --hosts 2 --devices 1 --steps 3 --without $x"
	done
	for x in $conditions nope; do
		say "synth -o t.pcap --size 200KB --connections 3 --condition $x"
		say "synth -o t.pcapng --size 200KB --connections 2 --condition $x"
	done
	for x in '--hosts 0' '--hosts 3 --slices 2' '--steps x' '--pattern x' \
		'--link-rate 1' '--size 0' '--profile x' '--only 9' '--seed -1'; do
		say "synth -o t --run r $x"
	done
	say "synth"
}

help_cases()
{
	local c
	for c in $(commands) netan nope ''; do
		if [ -z "$c" ] || [[ $wanted == "  " || $wanted == *" help "* ||
			$wanted == *" $c "* ]]; then
			echo "help $c"
			echo "help --man $c"
			echo "help --schema $c"
			echo "$c --help"
			echo "$c -h"
			echo "$c"
			echo "$c --nope"
			echo "$c in/missing"
			echo "$c in/garbage"
			echo "$c in/s --format xml"
		fi
	done
	for c in bash zsh fish tcsh ''; do say "completion $c"; done
	for c in --help -h --nope nope tim 'help tim' 'help --schema nope' \
		'capture -i lo' 'capture -o x.pcap' 'capture -i nope -o x.pcap' \
		'capture -i lo -o x.pcap --duration x'; do say "$c"; done
}

commands() { sed -n 's/^  \([a-z][a-z-]*\)  .*/\1/p' "$cache/help" | grep -v -x -e netan; }
# the names that --table of a command takes
tables() { sed -n "s/^$1: //p" "$cache/tables"; }

matrix()
{
	local c
	for c in $analyses; do
		analysis_cases "$c"
	done
	for c in $(commands); do
		case $c in capture | synth | completion | help | sysctl) ;;
		*) mistakes "$c" ;;
		esac
	done
	own_options
	log_cases
	synth_cases
	help_cases
}

# Golden cases that concern the wanted commands; not those that ask this
# machine, a browser, or measure.
golden()
{
	local c s
	cd "$root" || exit
	for s in tests/golden/*/*.sh; do
		case $s in tests/golden/notebook/* | */browser.sh | */full_disk.sh) continue ;; esac
		for c in $wanted "$([ "$wanted" = "  " ] && echo .)"; do
			[ -n "$c" ] || continue
			if [[ $s == */golden/"$c"/* ]] || grep -q "netan $c\\b" "$s" || [ "$c" = . ]; then
				echo "${s#tests/golden/}"
				break
			fi
		done
	done
}

# ---- how it is run

clean_env()
{
	env -i HOME="$w/home" XDG_CACHE_HOME="$w/home" TMPDIR="$w/tmp" \
		PATH="$bin:$PATH" LC_ALL=C TZ=UTC TERM=dumb NETAN_ROOT="$w/root" \
		SOURCE_DATE_EPOCH=1700000000 PYTHONDONTWRITEBYTECODE=1 \
		${NETAN_TEST_DATA:+NETAN_TEST_DATA="$NETAN_TEST_DATA"} \
		SAME_W="$w" SAME_REAL="$real" SAME_LOG="${log-}" "$@" </dev/null
}

# In a golden case netan is this: it keeps all that each call printed, under a
# name made of its arguments.
wrapper()
{
	cat <<'END'
#!/bin/sh
# what these find depends on who is first
case "$*" in *at-once-*) exec "$SAME_REAL" "$@" ;; esac
t=$(mktemp -d "$SAME_W/tmp/call-XXXXXXXX")
"$SAME_REAL" "$@" >"$t/out" 2>"$t/err"
rc=$?
{
	printf '$ netan'
	printf ' %s' "$@" | sed "s#$SAME_W#@#g; s#\(/tmp/[a-z]*\)\.[0-9][0-9]*#\1.@#g"
	echo
} >"$t/log"
id=$(cksum <"$t/log" | tr ' ' -)
{
	cat "$t/log" "$t/out"
	echo "--- stderr"
	cat "$t/err"
	echo "--- exit $rc"
} >"$t/all"
cat "$t/all" >>"$SAME_LOG/$id"
cat "$t/out" 2>/dev/null
cat "$t/err" >&2
rm -rf "$t"
exit $rc
END
}

# DIR: keep of what a case left only the sum, if it is large
shrink()
{
	find "$1" -type l -delete
	find "$1" -type f -size +1000k | while read -r f; do
		sha256sum <"$f" >"$f.sum" && rm "$f"
	done
}

run_golden() # CASE.sh DIR
{
	local log=$2.new/calls
	mkdir -p "$2.new/files" "$log"
	printf 'sh tests/golden/%s\n' "$1" >"$2.new/line"
	(cd "$2.new/files" && clean_env timeout 120 sh "$w/root/tests/golden/$1") \
		>"$2.new/stdout" 2>"$2.new/stderr"
	echo $? >"$2.new/exit"
	chmod -R u+rwX "$2.new"
	rm -f "$2.new/files/crowd" # lines in any order
	shrink "$2.new"
	mv "$2.new" "$2"
}

run_line() # LINE DIR
{
	mkdir -p "$2.new/files"
	printf 'netan %s\n' "$1" >"$2.new/line"
	ln -s "$cache/in" "$2.new/files/in"
	(
		cd "$2.new/files" || exit
		eval "set -- $1"
		exec timeout 60 "$real" "$@"
	) >"$2.new/stdout" 2>"$2.new/stderr" </dev/null
	echo $? >"$2.new/exit"
	shrink "$2.new"
	mv "$2.new" "$2"
}

# OUT: what OUT does not have yet of the cases in $w/cases
run_all()
{
	local j
	bin=$w/bin.$2 real=$w/real.$2/netan
	mkdir -p "$bin" "$w/real.$2" "$w/home" "$w/tmp" "$1"
	ln -s "$2" "$real"
	wrapper >"$bin/netan"
	chmod +x "$bin/netan"
	export HOME=$w/home XDG_CACHE_HOME=$w/home LC_ALL=C TZ=UTC TERM=dumb \
		SOURCE_DATE_EPOCH=1700000000
	unset NO_COLOR
	for ((j = 0; j < JOBS; j++)); do
		awk -v n="$JOBS" -v j="$j" 'NR % n == j' "$w/cases" |
			while IFS=$'\t' read -r kind id what; do
				[ -d "$1/$id" ] && continue
				rm -rf "$1/$id.new"
				"run_$kind" "$what" "$1/$id"
				printf '%s\n' "$w" "$root" >"$1/$id/places"
			done &
	done
	wait
}

# ---- inputs

make_inputs()
{
	local c f s in=$cache/in.new n=$old
	rm -rf "$in"
	mkdir -p "$in/f" "$in/c" "$in/nothing"
	cp -r "$root/tests/data" "$in/data"
	[ -n "${NETAN_TEST_DATA-}" ] && ln -s "$NETAN_TEST_DATA" "$in/real"
	(
		cd "$in" || exit
		export SOURCE_DATE_EPOCH=1700000000 TZ=UTC LC_ALL=C
		j='--run r --hosts 3 --devices 2 --steps 6'
		# shellcheck disable=SC2086  # words on purpose
		{
			$n synth -o s $j
			$n synth -o m $j --generation message
			$n synth -o g $j --profile gpu
			$n synth -o repeat $j --repeat 1
			$n synth -o one $j --only 1
			$n synth -o b $j --seed 3 --fault slow-path:0:1:4 --hlo-dump hlo
			$n synth -o ici --run r --hosts 4 --slices 2 --ici 2 --devices 2 --steps 5
			$n synth -o big --run r --hosts 6 --devices 2 --steps 12 --pattern ring \
				--generation both --collectives 4
			for f in $faults; do
				$n synth -o "f/${f//:/-}" $j --fault "$f"
			done
			for c in $conditions; do
				$n synth -o "c/$c.pcap" --size 400KB --connections 3 --condition "$c"
			done
			$n synth -o all.pcap --size 2MB
			$n ingest -o s.netan s
			$n ingest -o all.netan all.pcap
			$n ingest -o bare.netan --no-frames all.pcap
		} >/dev/null 2>&1
		: >empty.pb
		head -c 3000 /dev/zero >zeros.pb
		awk 'BEGIN { srand(7); for (i = 0; i < 4000; i++) printf "%c", 128 + int(rand() * 120) }' >garbage
		seq 300 | sed 's/^/I0000 line /' >text.log
		head -c 3001 all.pcap >cut.pcap
		head -c 3001 s.netan >cut.netan
		printf 'host,rack\nhost-0,a\nhost-1,a\nhost-2,b\n' >racks.csv
		printf 'address,host\n10.1.0.1,h1\n10.1.0.2,h2\n' >hosts.csv
		mkdir bin && ln -s "$old" bin/netan
		for s in hang xla-metrics sysctl; do
			for f in "$root/tests/golden/$s"/*.sh; do
				mkdir -p "golden/$s/$(basename "$f" .sh)"
				(cd "golden/$s/$(basename "$f" .sh)" && PATH=$in/bin:$PATH \
					NETAN_ROOT=$root sh "$f" >/dev/null 2>&1 </dev/null)
			done
		done
		rm -r bin
		# one that cannot be copied is none that can be read
		find golden -type l -delete
		find golden -type f -size +300k -delete
		chmod -R u+rwX golden
	)
	$n --help >"$cache/help"
	for c in $analyses check info hlo hang xla-metrics diff sysctl; do
		s="$in/data/graph.xplane.pb"
		case $c in
		diff) s="$s $s" ;;
		hang) s=$in/text.log ;;
		xla-metrics) s=$in/golden/xla-metrics/one_run/start.txt ;;
		sysctl) s= ;;
		esac
		# shellcheck disable=SC2086  # words on purpose
		$n "$c" $s --format csv --table nope 2>&1 |
			sed -n "s/,//g; s/.*; there are: /$c: /p"
	done >"$cache/tables"
	mv "$in" "$cache/in"
}

# ---- what is compared

compare()
{
	python3 - "$cache/out" "$w/new" "$w/cases" <<'END'
import difflib, json, os, re, sys

old_top, new_top, cases = sys.argv[1:]
TOOK = re.compile(rb"(took|the analysis) [0-9.]+ s\b")


def places(top):
    with open(os.path.join(top, "places"), "rb") as f:
        return f.read().split(b"\n")[:2]


def text(path, where):
    """What the file says, without what varies: paths of this run, and times."""
    with open(path, "rb") as f:
        b = f.read()
    for k, p in enumerate(where):
        b = b.replace(p, b"@%d" % k)
    if b.startswith(b"\x1f\x8b"):
        # when gzip packed it, each member
        b = re.sub(rb"(\x1f\x8b\x08[\0\x08])....", rb"\1@@@@", b, flags=re.S)
    b = re.sub(rb"(/tmp/[a-z]+)\.[0-9]+\b", rb"\1.@", b)
    b = re.sub(rb"(call|tmp\.|same)-?[A-Za-z0-9]{8,10}\b", b"@t", b)
    return TOOK.sub(rb"\1 @", b)


def plain(s, root):
    """A schema with its references and allOf written out."""
    if isinstance(s, list):
        return [plain(x, root) for x in s]
    if not isinstance(s, dict):
        return s
    s = dict(s)
    parts = s.pop("allOf", [])
    if "$ref" in s:
        parts = [{"$ref": s.pop("$ref")}] + parts if parts else [
            root["$defs"][s.pop("$ref").split("/")[-1]]]
    made = {}
    for x in [plain(p, root) for p in parts] + [s]:
        for k, v in x.items():
            if k == "properties":
                v = {**made.get(k, {}), **{n: plain(w, root) for n, w in v.items()}}
            elif k == "required":
                v = sorted(set(made.get(k, [])) | set(v))
            elif k not in ("$defs", "description"):
                v = plain(v, root)
            if k == "$defs" or k == "description" and x is not s and len(parts) and "properties" in s:
                continue
            made[k] = v
    if "properties" in made:
        made.setdefault("type", "object")
    return made


def schema(b):
    if b'"$defs"' not in b and b'"$schema"' not in b:
        return None
    i, j = b.find(b"\n{\n") + 1 if b.startswith(b"$ ") else 0, b.rfind(b"\n}")
    try:
        doc = json.loads(b[i:j + 2])
        return b[:i], plain(doc, doc), b[j + 2:]
    except ValueError:
        return None


def files(top):
    found = {}
    for d, _, names in os.walk(top):
        for n in names:
            p = os.path.join(d, n)
            r = os.path.relpath(p, top)
            if r != "places" and os.path.isfile(p) and not os.path.islink(p):
                found[r] = p
    return found


def show(name, a, b):
    def lines(x):
        return x.decode("utf-8", "backslashreplace").splitlines()
    if b"\0" in a[:4000] or b"\0" in b[:4000]:
        print("    %s: bytes differ (%d, %d)" % (name, len(a), len(b)))
        return
    d = list(difflib.unified_diff(lines(a)[:20000], lines(b)[:20000],
                                  "old " + name, "new " + name, "", "", 1, ""))
    for line in d[:14]:
        print("    " + line[:300])


same = different = 0
for row in open(cases):
    ident = row.split("\t")[1]
    o, n = os.path.join(old_top, ident), os.path.join(new_top, ident)
    fo, fn = files(o), files(n)
    po, pn = places(o), places(n)
    wrong = []
    for r in sorted(fo.keys() | fn.keys()):
        if r not in fo or r not in fn:
            wrong.append((r, None, "only %s wrote it" % ("new" if r in fn else "old")))
            continue
        with open(fo[r], "rb") as f, open(fn[r], "rb") as g:
            if f.read() == g.read():
                continue
        a, b = text(fo[r], po), text(fn[r], pn)
        if a == b or (schema(a) is not None and schema(a) == schema(b)):
            continue
        wrong.append((r, a, b))
    if not wrong:
        same += 1
        continue
    different += 1
    with open(os.path.join(n, "line")) as f:
        print("DIFFERENT", f.read().rstrip("\n"), " [%s]" % ident)
    for r, a, b in wrong[:4]:
        if a is None:
            print("    %s: %s" % (r, b))
        else:
            show(r, a, b)
    if len(wrong) > 4:
        print("    and %d files more" % (len(wrong) - 4))
print("%d same, %d different" % (same, different))
sys.exit(different > 0)
END
}

(
	flock 9
	[ -d "$cache/in" ] || make_inputs
) 9>"$cache/lock"

# KIND, what the case is kept under, what is run
{
	golden | while read -r s; do
		d=$root/tests/golden/${s%/*}
		printf 'golden\tg2-%s-%s\t%s\n' "$(echo "${s%.sh}" | tr / -)" \
			"$(find "$d" -type f ! -name '*.std*' ! -name '*.sh' -print0 | sort -z |
				xargs -0 cat -- "$root/tests/golden/$s" | sum)" "$s"
	done
	(cd "$cache" && matrix) | sort -u | python3 -c '
import hashlib, sys
for line in sys.stdin:
    line = line.rstrip("\n")
    print("line", "l-" + hashlib.md5(line.encode()).hexdigest()[:16], line, sep="\t")'
} >"$w/cases"

# one at a time fills the cache
(
	flock 9
	run_all "$cache/out" "$old"
) 9>"$cache/lock"
run_all "$w/new" "$new"
compare
