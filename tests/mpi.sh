#!/usr/bin/env bash
# netan-mpi against netan: the same bytes from any number of ranks, and
# nothing half done when one of them fails.
#
#	tests/mpi.sh DIR    DIR/bin has both programs, DIR/tests/mpi/ranks a third
#
# Says "pass NAME", "FAIL NAME" and what was found, or "skip: NAME: why".
# ONLY='mpi/check*' picks, JOBS run side by side.
set -u
export LC_ALL=C OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
	OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none
netan=$1/bin/netan many=$1/bin/netan-mpi ranks=$1/tests/mpi/ranks
if ! command -v mpirun >/dev/null || [ ! -x "$many" ]; then
	echo 'skip: mpi: not tested: no MPI'
	exit 0
fi
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

wrong() { echo "$*" >>wrong; }

# N PROGRAM...: bounded in time; stderr without what the launcher says.
launch()
{
	local n=$1 rc
	shift
	# Jobs side by side must not tidy up each other's.
	mkdir -p ompi
	OMPI_MCA_orte_tmpdir_base=$PWD/ompi timeout 300 mpirun -n "$n" "$@" 2>stderr.all </dev/null
	rc=$?
	grep '^netan: ' stderr.all >out.stderr
	return $rc
}

# WANTED GOT WHAT
status() { [ "$1" = "$2" ] || wrong "$3: status $2, wanted $1"; }

# TEXT: one of the lines on stderr is like that.
says()
{
	grep -q -e "$1" out.stderr || {
		wrong "nothing on stderr like '$1':"
		head -n 5 stderr.all >>wrong
	}
}

# Of a run that failed: no output, and no part of one.
nothing_left()
{
	local of
	for of in out.json* out.html* tmp/*; do
		[ ! -e "$of" ] || wrong "left behind: $of"
	done
}

# COMMAND: what it is to write.
outputs()
{
	case $1 in
	report) echo -o out.html ;;
	check | info | collectives) echo -o out.json -o out.csv ;;
	*) echo -o out.json -o out.csv -o out.svg ;;
	esac
}

# "N..." COMMAND INPUT...: one process, and then so many ranks.
same()
{
	local numbers=$1 command=$2 n want of
	shift 2
	# shellcheck disable=SC2046  # words
	"$netan" "$command" $(outputs "$command") "$@" >out.stdout 2>out.stderr \
		</dev/null
	want=$?
	rm -rf one
	mkdir one
	mv out.* one
	for n in $numbers; do
		# shellcheck disable=SC2046  # words
		launch "$n" "$many" "$command" $(outputs "$command") "$@" \
			>out.stdout
		status $want $? "$command on $n ranks"
		for of in one/*; do
			cmp -s "$of" "${of#one/}" && continue
			wrong "$command on $n ranks: ${of#one/} differs"
			diff "$of" "${of#one/}" 2>&1 | cut -c 1-200 | head -n 6 >>wrong
		done
		[ ! -s wrong ] || head -n 5 stderr.all >>wrong
		rm -f out.*
	done
}

# ---- the sessions: planted faults, more ranks than hosts, damage

"$netan" synth -q --hosts 64 --slices 8 --devices 1 --steps 4 --collectives 2 \
	--fault slow-sender:13:4 --fault late-input:40:20ms -o fleet
"$netan" synth -q --slices 4 --devices 2 --steps 6 \
	--fault slow-receiver:2:5 -o four
"$netan" synth -q --profile pytorch --hosts 3 --devices 2 --steps 6 \
	--fault late-rank:r3:5ms -o torch
"$netan" synth -q --hosts 5 --devices 2 --generation message --steps 5 \
	--fault clock:2:30ms -o old
"$netan" synth -q --profile network --size 30MB -o wide
"$netan" synth -q --size 100KB -o captured.pcap
"$netan" ingest -q captured.pcap -o captured.netan
cp -R four damaged
"$netan" synth -q --hosts 6 --slices 3 --devices 2 --steps 6 -o mixed
"$netan" synth -q --hosts 9 --slices 3 --devices 2 --steps 6 \
	--generation message -o aged
mv aged/plugins/profile/*/host-[68].xplane.pb mixed/plugins/profile/*/
for f in damaged/plugins/profile/*/host-1.xplane.pb; do
	truncate -s 50000 "$f"
	echo garbage >"${f%1.xplane.pb}3.xplane.pb"
done
trace=$(echo "$work"/four/plugins/profile/*/host-0.xplane.pb)
ranked=$(echo "$work"/torch/kineto)

# ---- what is tried

# Of a run that has something to show.
wrote() { [ -s one/out.json ] || [ -s one/out.html ] || wrong 'wrote nothing'; }

test_hosts_64() { same "$2" "$1" ../fleet; wrote; }
test_hosts_4() { same "$2" "$1" ../four; wrote; }
test_settings()
{
	mkdir -p netan
	echo 'capacity = 50Gbps' >netan/netan.conf
	export XDG_CONFIG_HOME=$PWD
	same '3' timeline ../four
	grep -q '"settings"' one/out.json || wrong 'not set'
}
test_damaged() { same '3' check ../damaged; same '3' info ../damaged --strict; }
test_pytorch() { same '2 4' check "$ranked"; }
test_missing() { same '3' check "$trace" nothing.pb "${trace/host-0/host-2}"; }
test_nothing() { same '3' latency nothing.pb; }
test_findings() { same '3' check ../four --fail-on error; }
test_wrong_option() { same '3' pairs ../four --by weather; }
test_wrong_filter() { same '3' pairs ../four --host nobody; }
test_no_topology() { same '3' pairs ../four --topology nowhere.csv; }
test_anonymous() { same '2 5' check ../fleet --anonymize; }
# What the times of old messages mean is settled by all inputs together.
test_old_messages() { same '3' slack ../old --anchor start; same '2' check ../old; }
test_captured() { same '3' info ../four ../captured.netan; same '2' check ../four ../captured.netan; }
test_little_memory() { same '2' pairs ../wide --memory 60MB -j 1; }
test_filters() { same '3' latency ../fleet --host 'host-1*' --by host,collective; }

# Transfers stay with the ranks that read them; not where some are of the older
# generation, nor for what needs all of them in one place.
test_staying()
{
	local command
	for command in bursts sizes latency timeline; do
		launch 3 "$many" $command -v ../four >out.stdout
		says "[1-9][0-9 ]* transfers stayed with them"
		launch 3 "$many" $command -v ../old >out.stdout
		says '; 0 transfers stayed'
		same '2 5' $command ../mixed
		wrote
		same '3' $command ../four --by host,collective
		same '4' $command ../mixed --by step --step 1-2
	done
	same '3' latency ../mixed --by component --component receive
	same '3' timeline ../four --by src --capacity 10Gbps
	same '5' info ../mixed
	launch 3 "$many" pairs -v ../four >out.stdout
	! grep -q stayed out.stderr || wrong 'transfers stayed for pairs'
}

test_full_disk()
{
	launch 3 "$many" check ../four -o /dev/full
	status 1 $? 'a full disk'
	says 'No space left'
}

test_no_place()
{
	launch 3 "$many" check ../four -o nowhere/out.json
	status 1 $? 'no folder'
	says 'there is no directory nowhere/'
}

test_stdin()
{
	launch 2 "$many" check - -o out.json
	status 2 $? 'standard input'
	says 'standard input'
	nothing_left
}

test_other_commands()
{
	launch 3 "$many" tcp job.pcap >out.stdout
	status 2 $? tcp
	[ "$(wc -l <out.stderr)" = 1 ] || wrong 'not one line'
	says 'does not run tcp'
	launch 3 "$many" --version >out.stdout
	status 0 $? --version
	[ "$(grep -c '^netan ' out.stdout)" = 1 ] || wrong '--version is not said once'
	grep -q '^MPI: [^ ]' out.stdout || wrong '--version does not say which MPI'
}

# WHAT RANKS INPUT...: as in `one`, out of the cache.
cached()
{
	local what=$1 n=$2 of
	shift 2
	rm -f out.*
	launch "$n" "$many" check -o out.json -o out.csv --cache kept "$@" >out.stdout
	status 0 $? "$what on $n ranks"
	for of in one/*; do
		cmp -s "$of" "${of#one/}" || wrong "$what on $n ranks: ${of#one/} differs"
	done
}

test_cache()
{
	local n session kept
	for session in ../four ../damaged ../mixed ../captured.pcap "$ranked"; do
		rm -rf one
		mkdir one
		"$netan" check -o out.json -o out.csv "$session" >out.stdout \
			2>out.stderr </dev/null
		mv out.* one
		for n in 1 2 3; do
			rm -rf kept
			cached "$session, cold" $n "$session"
			cached "$session, warm" $n "$session"
		done
	done
	rm -rf kept one
	cp -R ../four mine
	launch 3 "$many" check --cache kept -v mine >one.stdout
	says '4 of 4 inputs read from there, 4 of them written'
	touch mine/plugins/profile/*/host-2.xplane.pb
	launch 2 "$many" check --cache kept -v mine >out.stdout
	says '4 of 4 inputs read from there, 1 of them written'
	cmp one.stdout out.stdout >>wrong
	for kept in kept/host-[13]-*; do truncate -s -9 "$kept"; done
	launch 3 "$many" check --cache kept -v mine >out.stdout
	says '2 transfer files there were damaged, and made anew'
	cmp one.stdout out.stdout >>wrong
	echo >file
	launch 3 "$many" check --cache file -v mine >out.stdout
	status 0 $? 'a cache that is none'
	says 'warning: --cache file: cannot write .*: Not a directory; 4 traces are read as they are'
	cmp one.stdout out.stdout >>wrong
	launch 3 "$many" check --cache mine/plugins/profile/* mine >out.stdout
	status 2 $? 'a cache among traces'
	says 'inputs lie there'
}

# Each rank on a node of its own, where the same path leads to other files.
test_local()
{
	mkdir local one one/0 one/1 one/2
	ln "${trace%0.xplane.pb}"[03].xplane.pb one/0
	ln "${trace%0.xplane.pb}1.xplane.pb" one/1
	ln "${trace%0.xplane.pb}2.xplane.pb" one/2
	cat >node <<-'EOF'
		#!/bin/sh
		r=$OMPI_COMM_WORLD_RANK
		export r
		exec unshare -m -u sh -c 'hostname node-$r &&
			mount --bind one/$r local && exec "$@"' sh "$@"
	EOF
	chmod +x node
	if ! unshare -m -u true 2>/dev/null; then
		echo needs root >skipped
		return
	fi
	"$netan" check ../four | sed -e '/^More/d' -e '/^Draw/d' >one.stdout
	for also in '' --anonymize '--cache kept' '--cache kept'; do
		# shellcheck disable=SC2086  # words, or none
		launch 3 ./node "$many" check $also --local 'local/*.pb' >out.stdout
		status 0 $? "--local $also"
		[ "$also" = --anonymize ] || sed -e '/^More/d' -e '/^Draw/d' out.stdout | diff one.stdout - >>wrong
		grep -q '^suspect: receive side of \(anon\)*host-' out.stdout ||
			wrong "--local $also: no suspect"
	done
	[ "$(ls kept | wc -l)" = 4 ] || wrong "$(ls kept) for 4 traces"
	"$netan" latency ../four | sed -e '/^More/d' -e '/^Draw/d' >one.stdout
	launch 3 ./node "$many" latency --local 'local/*.pb' -v >out.stdout
	sed -e '/^More/d' -e '/^Draw/d' out.stdout | diff one.stdout - >>wrong
	says '[1-9][0-9 ]* transfers stayed with them'
	launch 3 "$many" check --local 'nowhere/*.pb'
	status 1 $? 'no local file'
	says 'no node has a file'
	"$netan" check --local 'one/0/*.pb' 2>out.stderr
	status 2 $? 'netan with --local'
}

# A launcher of tasks, and the program for one.
test_handed_over()
{
	"$netan" check ../four >one.stdout
	launch 3 "$netan" check ../four >out.stdout
	status 0 $? 'netan as a task'
	cmp one.stdout out.stdout >>wrong
}

# Another version has the same bytes but for its number.
test_versions()
{
	sed 's/\(netan \)\?\b0\.1\.0\b/\10.1.9/g' "$many" >netan-mpi
	chmod +x netan-mpi
	launch 2 "$many" check ../four -o out.json : -n 1 ./netan-mpi check \
		../four -o out.json
	status 1 $? 'two versions'
	says 'rank 0 is netan 0.1.0, rank 2 netan 0.1.9'
	nothing_left
}

# RANK: it has little memory, and nowhere to put the rest.
test_memory()
{
	local rank=$1
	cat >limited <<-EOF
		#!/bin/sh
		if [ \$OMPI_COMM_WORLD_RANK = $rank ]; then
			ulimit -d 28000
			export TMPDIR=/nowhere
		fi
		exec "\$@"
	EOF
	chmod +x limited
	launch 3 ./limited "$many" check ../large -o out.json
	status 1 $? "rank $rank without memory"
	if [ "$rank" = 0 ]; then says 'memory'; else says "rank $rank .*: .*memory"; fi
	nothing_left
}

# RANK: it is killed while the last one waits for what nobody writes.
test_killed()
{
	local rank=$1 launcher pid i
	mkfifo pipe
	mkdir tmp
	TMPDIR=$PWD/tmp timeout 300 mpirun -n 3 "$many" check "$trace" \
		"${trace/host-0/host-1}" pipe -o out.json >out.stdout \
		2>stderr.all </dev/null &
	launcher=$!
	for ((i = 0; i < 600; i++)); do
		sleep 0.1
		pid=$(grep -l -z -x "OMPI_COMM_WORLD_RANK=$rank" \
			/proc/[0-9]*/environ 2>/dev/null | while read -r f; do
			f=${f%/environ}
			[ "$(readlink "$f/cwd")" = "$PWD" ] &&
				[ "$(readlink "$f/exe")" = "$many" ] && echo "${f##*/}"
		done)
		[ -z "$pid" ] || break
	done
	sleep 0.5
	kill -9 $pid 2>>wrong
	wait $launcher
	[ $? != 0 ] || wrong "rank $rank killed: status 0"
	rm -rf tmp/ompi.* tmp/openmpi-* tmp/pmix*
	nothing_left
}

# What WHO...: ranks that leave in some way, and the others learn of it.
test_leaving()
{
	local what=$1 who
	for who in 0 3; do
		timeout 300 mpirun -n 5 "$ranks" "$what" $who 3000000 \
			2>stderr.all </dev/null
		status 1 $? "rank $who, $what"
		case $what in
		early | late | end) cp stderr.all out.stderr; says "$what" ;;
		esac
	done
}

test_messages()
{
	for n in 1 2 5; do
		timeout 300 mpirun -n $n "$ranks" fine 0 5000000 </dev/null \
			2>stderr.all
		status 0 $? "messages of $n ranks"
	done
	timeout 300 mpirun -n 2 "$ranks" fine 0 80000000 2>stderr.all </dev/null
	status 0 $? 'long messages'
}

# ---- all of it

# NAME FUNCTION ARG...
try()
{
	local name=mpi/$1
	# shellcheck disable=SC2053  # a pattern
	[[ $name == ${ONLY:-*} ]] || return
	shift
	while [ "$(jobs -rp | wc -l)" -ge "${JOBS:-$(nproc)}" ]; do wait -n; done
	mkdir "${name//\//.}"
	(
		cd "${name//\//.}" && "$@"
		if [ -s skipped ]; then
			echo "skip: $name: $(cat skipped)"
		elif [ -s wrong ]; then
			echo "FAIL $name"
			head -n 40 wrong | sed 's/^/    /'
		else
			echo "pass $name"
		fi
	) &
}

# Every command meets several numbers of ranks, and all of them together each.
numbers=(1 2 3 4 7)
turn=0
for command in $("$many" --help |
	sed -n '/^Commands/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
	try "64-hosts-$command" test_hosts_64 "$command" \
		"${numbers[turn % 5]} ${numbers[(turn + 2) % 5]}"
	try "4-hosts-$command" test_hosts_4 "$command" \
		"7 ${numbers[(turn + 1) % 5]}"
	turn=$((turn + 1))
done
for name in settings damaged pytorch missing nothing findings wrong_option wrong_filter \
	no_topology cache local staying anonymous old_messages captured little_memory filters full_disk no_place stdin other_commands \
	handed_over versions messages; do
	try "${name//_/-}" "test_$name"
done
"$netan" synth -q --hosts 64 --slices 8 --devices 1 --steps 12 --collectives 4 \
	-o large
for rank in 0 1; do try "memory-$rank" test_memory $rank; done
for rank in 0 1 2; do try "killed-$rank" test_killed $rank; done
for how in early late quiet deaf end agreed; do try "leaving-$how" test_leaving $how; done
wait
