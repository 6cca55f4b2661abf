#!/usr/bin/env bash
# Records what real TCP stacks do on a wire with planted faults: hosts are
# network namespaces, the wire is a program of ours between them, and what it
# did is written beside the captures.  conditions.sh says what there is.
#
#	JOBS=4 SEED=1 ONLY='loss-*' record.sh BIN OUT
#
# BIN holds wire, ends and views.  OUT/CONDITION gets captures of each host
# (h1.pcap, ...), of a tap in the middle (mid.pcap), views made of these,
# log.tsv (each frame dropped or doubled), hosts.csv and truth.json.  What is
# there already is made anew.  Needs root, namespaces, tcpdump and ethtool;
# without them it says "skipped: ..." and ends with 0.
set -u
export LC_ALL=C TZ=UTC

BIN=$(realpath "$1")
mkdir -p "$2"
OUT=$(realpath "$2")
HERE=$(dirname "$(realpath "$0")")
JOBS=${JOBS:-4}
SEED=${SEED:-1}
ONLY=${ONLY:-*}
RUN=na$$
TRIES=5
LATE=40 # ms: a frame that left so much later than the rules said spoils a run

# ---- may we?

skip() { echo "skipped: $*"; exit 0; }

[ "$(id -u)" = 0 ] || skip "recording needs root, for network namespaces"
for tool in ip tcpdump ethtool; do
	command -v "$tool" >/dev/null || skip "recording needs $tool"
done
ip netns add "$RUN-try" 2>/dev/null || skip "no network namespaces here"
ip -n "$RUN-try" link add name e0 type veth peer name e1 2>/dev/null
tried=$?
ip netns del "$RUN-try"
[ $tried = 0 ] || skip "no veth devices here"

# Namespaces of this run and what runs in them; nobody else's.
clean()
{
	local path name
	for path in /run/netns/"$1"*; do
		[ -e "$path" ] || continue
		name=${path##*/}
		# shellcheck disable=SC2046  # one word for each process
		kill -9 $(ip netns pids "$name") 2>/dev/null
		ip netns del "$name"
	done
}
finish()
{
	# shellcheck disable=SC2046  # one word for each process
	kill $(jobs -p) 2>/dev/null
	wait 2>/dev/null
	clean "$RUN-"
	rm -rf "$WORK" "$OUT"/.*."$$"
}
WORK=$(mktemp -d)
trap finish EXIT
trap 'exit 1' INT TERM HUP

# ---- what a condition says of itself (each in a shell of its own)

# Sets what the functions below fill in.
begin()
{
	ABOUT='' HOSTS=2 OFFLOAD=off FAULT=none OUTCOME='' ACCUSED='' WORDS=''
	TX=() RX=() SERVERS=() GROUPS_OF=() EXTRA=() SETTINGS=() TRAFFIC=()
	EVENTS=() GROUP_N=0 CALM=0 BLIND='' NET=10.9.0. MISSING=''
	MAKE=' cut both skewed lose1 lose5 late oneway '
}

about() { ABOUT=$1; }
# PROGRAM...
needs() { local p; for p; do command -v "$p" >/dev/null || MISSING=$p; done; }
hosts() { HOSTS=$1; }
offload() { OFFLOAD=$1; }
# RULE: see rules.h.
wire() { case $1 in tx:*) TX+=("$1") ;; *) RX+=("$1") ;; esac; }
# MS of delay each way, half of it before the tap.
path() { wire "tx:*>* delay ms=$(half "$1")"; wire "rx:*>* delay ms=$(half "$1")"; }
half() { awk -v x="$1" 'BEGIN { print x / 2 }'; }
# Addresses of IPv6
ip6() { NET=fd00:9::; }
# KEY=VALUE in every host
setting() { SETTINGS+=("$1"); }
# HOST [OPTION...]: see ends.c
serve() { SERVERS+=("$*"); }
# FROM TO VERDICTS OPTION...: connections, and what may be said of them
call()
{
	local from=$1 to=$2 verdicts=$3
	shift 3
	GROUPS_OF+=("$verdicts")
	TRAFFIC+=("$from ends call address=$NET$to port=7000 group=$GROUP_N $*")
	GROUP_N=$((GROUP_N + 1))
}
# FROM VERDICTS COMMAND: some other program
program()
{
	GROUPS_OF+=("$2")
	TRAFFIC+=("$1 other $3")
	GROUP_N=$((GROUP_N + 1))
}
# PLACES (h1, mid): what is recorded there does not show the fault
blind() { BLIND=" $* "; }
# MS: a call that takes longer was held up by this machine
calm() { CALM=$1; }
# SECONDS COMMAND: on the machine, with $NS for the names of namespaces
event() { EVENTS+=("$1 $2"); }
# FAULT OUTCOMES ACCUSED [WORDS]
#	FAULT     what was planted: none; network (packets are dropped); acks
#	          (only ACKs are); delay slow queue reorder duplicates spike
#	          pause (they are late or come twice); gone (nobody answers);
#	          server client settings host (the network is innocent; host:
#	          that of the server drops what comes); both (of several
#	          paths one is lossy, another one has a slow server)
#	OUTCOMES  of check, each of which is right: guilty not_guilty
#	          cannot_tell
#	ACCUSED   cause[:kind:host[:host]], each of which is right
#	WORDS     one of which has to be said, separated by |
truth() { FAULT=$1 OUTCOME=$2 ACCUSED=$3 WORDS=${4:-}; }
without() { local w; for w; do MAKE=${MAKE/ $w / }; done; }
also() { local w; for w; do MAKE+="$w "; done; }

# ---- network

ns() { echo "$RUN-$ID-$1"; }
in_host() { local h=$1; shift; ip netns exec "$(ns "h$h")" "$@"; }

set_up()
{
	local i j m
	m=$(ns m)
	ip netns add "$m" || return
	for ((i = 1; i <= HOSTS; i++)); do
		ip netns add "$(ns "h$i")"
		ip link add name e0 address "02:00:00:00:09:0$i" netns "$(ns "h$i")" \
			type veth peer name "p$i" netns "$m" || return
		{
			case $NET in *:) echo "addr add $NET$i/64 dev e0 nodad" ;; *) echo "addr add $NET$i/24 dev e0" ;; esac
			echo "link set lo up"
			echo "link set e0 up"
			for ((j = 1; j <= HOSTS; j++)); do
				[ "$i" = "$j" ] ||
					echo "neigh add $NET$j lladdr 02:00:00:00:09:0$j dev e0 nud permanent"
			done
		} | ip -n "$(ns "h$i")" -batch - >/dev/null
		case $NET in *:) ;; *) SETTINGS+=(net.ipv6.conf.all.disable_ipv6=1) ;; esac
		in_host "$i" sysctl -q -w net.ipv6.conf.all.router_solicitations=0 \
			net.ipv4.tcp_congestion_control=cubic "${SETTINGS[@]}" 2>/dev/null
		if [ "$OFFLOAD" = off ]; then
			in_host "$i" ethtool -K e0 tso off gso off gro off tx off rx off >/dev/null 2>&1
		else
			in_host "$i" ethtool -K e0 gro on >/dev/null 2>&1
		fi
		ip -n "$m" link set "p$i" up
		ip netns exec "$m" sysctl -q -w "net.ipv6.conf.p$i.disable_ipv6=1"
	done
}

# FILE WORD PID: until it stands there; false: it never does
await()
{
	local k
	for ((k = 0; k < 200; k++)); do
		grep -q -s "$2" "$1" && return
		kill -0 "$3" 2>/dev/null || return 1
		sleep 0.05
	done
	return 1
}

# NAME NAMESPACE DEVICE: a capture
capture()
{
	local how=(--immediate-mode -s 2000)
	[ "$HOSTS" = 2 ] && [ "$3" != any ] || how=(--immediate-mode -s 200)
	# A ring of whole super-packets would hold few; the other kind of ring
	# hands over late.
	[ "$OFFLOAD" = off ] || how=(-s 0)
	ip netns exec "$2" tcpdump -i "$3" -n -B 65536 -Z root "${how[@]}" \
		-w "$DIR/$1.pcap" 'tcp or icmp' 2>"$TMP/$1.err" &
	CAPTURES+=($!)
	await "$TMP/$1.err" 'listening on' $!
}

start_wire()
{
	local i devices=()
	for ((i = 1; i <= HOSTS; i++)); do devices+=(-i "p$i"); done
	ip netns exec "$(ns m)" "$BIN/wire" -s $((SEED * 1000 + ID)) -j "$TMP/wire.json" \
		-l "$DIR/log.tsv" -t "$DIR/mid.pcap" "${devices[@]}" \
		"${TX[@]}" "${RX[@]}" >"$TMP/wire.out" 2>"$TMP/wire.err" &
	WIRE=$!
	await "$TMP/wire.out" ready $WIRE
}

# HOST: until somebody listens on port 7000
await_port()
{
	local k
	for ((k = 0; k < 200; k++)); do
		in_host "$1" cat /proc/net/tcp /proc/net/tcp6 2>/dev/null |
			awk '$2 ~ /:1B58$/ && $4 == "0A" { found = 1 } END { exit !found }' && return
		sleep 0.05
	done
	return 1
}

start_servers()
{
	local s host k=0
	for s in "${SERVERS[@]}"; do
		read -r host s <<<"$s"
		k=$((k + 1))
		# shellcheck disable=SC2086  # words
		case $s in
		other\ *)
			in_host "$host" ${s#other } >"$TMP/server$k" 2>&1 &
			await_port "$host" || return 1
			;;
		*) in_host "$host" "$BIN/ends" serve "address=$([ "$NET" = fd00:9:: ] && echo :: || echo 0.0.0.0)" port=7000 $s >"$TMP/server$k" 2>/dev/null &
			await "$TMP/server$k" ready $! || return 1 ;;
		esac
	done
}

run_traffic()
{
	local t host what rest pids=() k=0
	for t in "${EVENTS[@]}"; do
		(sleep "${t%% *}"; NS=$RUN-$ID; export NS; eval "${t#* }") >"$TMP/event" 2>&1 &
		pids+=($!)
	done
	for t in "${TRAFFIC[@]}"; do
		read -r host what rest <<<"$t"
		k=$((k + 1))
		# shellcheck disable=SC2086  # words
		if [ "$what" = ends ]; then
			in_host "$host" timeout 60 "$BIN/ends" $rest seed=$((SEED * 100000 + ID * 100 + k)) \
				>"$TMP/traffic$k" &
		else
			in_host "$host" timeout 60 sh -c "$rest" >"$TMP/other$k" 2>&1 &
		fi
		pids+=($!)
	done
	wait "${pids[@]}"
}

# ---- what there is to say

# WORDS: a JSON list
list()
{
	local w out=''
	for w; do out+="${out:+,}\"$w\""; done
	echo "[$out]"
}

counters()
{
	local i
	for ((i = 1; i <= HOSTS; i++)); do
		in_host "$i" cat /proc/net/snmp /proc/net/netstat | awk -v host="h$i" '
			BEGIN { split("RetransSegs OutSegs InSegs TCPTimeouts TCPLossProbes TCPSpuriousRTOs " \
				"TCPFastRetrans TCPSlowStartRetrans TCPLostRetransmit TCPDSACKRecv TCPDSACKOldSent " \
				"TCPFromZeroWindowAdv TCPToZeroWindowAdv TCPOFOQueue DelayedACKs", w)
				for (k in w) want[w[k]] = 1 }
			!($1 in names) { names[$1] = $0; next }
			{ n = split(names[$1], name)
				for (k = 2; k <= n; k++) if (name[k] in want) said = said ",\"" name[k] "\":" $k }
			END { printf "{\"host\":\"%s\"%s}", host, said }'
		[ "$i" = "$HOSTS" ] || echo ,
	done
}

accused()
{
	local a cause kind host other out=''
	for a in $ACCUSED; do
		IFS=: read -r cause kind host other <<<"$a"
		out+="${out:+,}{\"cause\":\"$cause\""
		[ -z "$kind" ] || out+=",\"kind\":\"$kind\""
		[ -z "$host" ] || out+=",\"host\":\"$host\""
		[ -z "$other" ] || out+=",\"other\":\"$other\""
		out+='}'
	done
	echo "[$out]"
}

write_hosts()
{
	local i
	for ((i = 1; i <= HOSTS; i++)); do echo "$NET$i,h$i"; done >"$DIR/hosts.csv"
}

write_truth()
{
	local i g words=()
	IFS='|' read -r -a words <<<"$WORDS"
	{
		echo "{\"condition\":\"$NAME\",\"about\":\"$ABOUT\",\"seed\":$SEED,"
		printf '"hosts":['
		for ((i = 1; i <= HOSTS; i++)); do
			printf '%s{"name":"h%d","address":"%s"}' "$([ "$i" = 1 ] || echo ,)" "$i" "$NET$i"
		done
		echo '],'
		echo "\"offload\":\"$OFFLOAD\",\"fault\":\"$FAULT\","
		# shellcheck disable=SC2086  # words
		echo "\"outcome\":$(list $OUTCOME),\"accused\":$(accused),\"words\":$(list "${words[@]}"),"
		printf '"rules":%s,\n"groups":[' "$(list "${TX[@]}" "${RX[@]}")"
		for ((g = 0; g < GROUP_N; g++)); do
			# shellcheck disable=SC2086
			printf '%s{"verdicts":%s}' "$([ "$g" = 0 ] || echo ,)" "$(list ${GROUPS_OF[g]})"
		done
		echo '],'
		printf '"connections":['
		cat "$TMP"/traffic* 2>/dev/null | sed '2,$s/^/,/'
		echo '],'
		echo "\"kernel\":[$(cat "$TMP/counters")],"
		echo "\"wire\":$(cat "$TMP/wire.json"),"
		printf '"views":['
		sed '2,$s/^/,/' "$TMP/views"
		echo ']}'
	} >"$DIR/truth.json"
}

# FILE HOW OF: a row of the truth's views, unless the file has no packet or
# was recorded where nothing can be seen.  HOW: host middle any cut both skewed
# lose1 lose5 late oneway noid; OF: where it was recorded
view()
{
	[[ $BLIND != *" $3 "* ]] && [ "$(stat -c %s "$DIR/$1" 2>/dev/null || echo 0)" -gt 24 ] &&
		echo "{\"file\":\"$1\",\"how\":\"$2\",\"of\":\"$3\"}" >>"$TMP/views"
}

make_views()
{
	local i files=() how
	for ((i = 1; i <= HOSTS; i++)); do
		view "h$i.pcap" host "h$i"
		files+=("$DIR/h$i.pcap")
	done
	view mid.pcap middle mid
	view any.pcap any mid
	for how in $MAKE; do
		case $how in
		cut) "$BIN/views" cut 96 "$DIR/h2.pcap" "$DIR/h2-cut.pcap" && view h2-cut.pcap cut h2 ;;
		both) "$BIN/views" both 0 "$DIR/both.pcap" "${files[@]}" && view both.pcap both all ;;
		skewed) "$BIN/views" both 7 "$DIR/skewed.pcap" "${files[@]}" && view skewed.pcap skewed all ;;
		lose1) "$BIN/views" lose 0.01 $SEED "$DIR/h1.pcap" "$DIR/h1-lose1.pcap" && view h1-lose1.pcap lose1 h1 ;;
		lose5) "$BIN/views" lose 0.05 $SEED "$DIR/h2.pcap" "$DIR/h2-lose5.pcap" && view h2-lose5.pcap lose5 h2 ;;
		late) "$BIN/views" late 0.3 "$DIR/h2.pcap" "$DIR/h2-late.pcap" && view h2-late.pcap late h2 ;;
		noid) "$BIN/views" noid "$DIR/mid.pcap" "$DIR/mid-noid.pcap" && view mid-noid.pcap noid mid ;;
		oneway) "$BIN/views" oneway 2 "$DIR/h1.pcap" "$DIR/h1-oneway.pcap" && view h1-oneway.pcap oneway h1 ;;
		esac
	done
}

# ---- one condition

# False: what is written down is not all that happened, or a busy machine made
# a fault of its own (a timeout where nobody dropped, held or thought).
is_true()
{
	if ! grep -q '"unseen":0,' "$TMP/wire.json" 2>/dev/null; then
		echo "$NAME: the wire did not see all" >&2
		return 1
	fi
	if ! grep -o '"latest_ms":[0-9]*' "$TMP/wire.json" | awk -F: -v most=$LATE '{ exit $2 > most }'; then
		echo "$NAME: this machine held up the wire" >&2
		return 1
	fi
	if grep -h 'dropped by kernel' "$TMP"/*.err | grep -v -q '^0 '; then
		echo "$NAME: a capture did not see all" >&2
		return 1
	fi
	if [ "$CALM" != 0 ] && ! cat "$TMP"/traffic* | awk -v most="$CALM" '
		match($0, /"max_ms":[0-9.]+/) && substr($0, RSTART + 9, RLENGTH - 9) + 0 > most { bad = 1 }
		END { exit bad }'; then
		echo "$NAME: this machine held up a call" >&2
		return 1
	fi
	case $FAULT in none | acks | server | client | settings | reorder | duplicates | delay)
		if grep -q '"TCPTimeouts":[1-9]' "$TMP/counters" &&
			grep -q '"dropped":0,' "$TMP/wire.json"; then
			echo "$NAME: this machine stood still" >&2
			return 1
		fi ;;
	esac
}

record_once()
{
	local i ok=0
	CAPTURES=()
	rm -rf "$DIR" "$TMP"
	mkdir -p "$DIR" "$TMP"
	# Namespaces that several make at one time get into each other's way now
	# and then.
	if ! set_up 2>"$TMP/set-up" || ! start_wire; then
		echo "$NAME: $(cat "$TMP/set-up" "$TMP/wire.err")" >&2
		clean "$RUN-$ID-"
		return 1
	fi
	for ((i = 1; i <= HOSTS; i++)); do
		capture "h$i" "$(ns "h$i")" e0 || ok=2
	done
	case $MAKE in *\ any\ *) capture any "$(ns m)" any || ok=2 ;; esac
	start_servers || ok=2
	[ $ok = 0 ] && run_traffic
	# Ends of connections, and what is still under way or not handed over.
	sleep "$([ "$OFFLOAD" = off ] && echo 0.5 || echo 1.5)"
	kill -INT "${CAPTURES[@]}" 2>/dev/null
	wait "${CAPTURES[@]}" 2>/dev/null
	kill -TERM "$WIRE" 2>/dev/null
	wait "$WIRE" 2>/dev/null || ok=1
	counters >"$TMP/counters"
	clean "$RUN-$ID-"
	[ $ok = 0 ] && is_true || return 1
}

record()
{
	local try
	ID=$1 NAME=$2 DIR=$OUT/.$2.$$ TMP=$WORK/$2
	for ((try = 1; try <= TRIES; try++)); do
		begin
		"c_${NAME//-/_}"
		if [ -n "$MISSING" ]; then
			echo "skipped: $NAME needs $MISSING"
			return 0
		fi
		if record_once; then
			: >"$TMP/views"
			make_views
			write_hosts
			write_truth
			rm -rf "${OUT:?}/$NAME"
			mv "$DIR" "$OUT/$NAME"
			return 0
		fi
	done
	echo "$NAME: could not be recorded" >&2
	rm -rf "$DIR" "${OUT:?}/$NAME"
}

# shellcheck source=conditions.sh
. "$HERE/conditions.sh"

id=0
for name in $(sed -n 's/^c_\([a-z0-9_]*\)()$/\1/p' "$HERE/conditions.sh" | tr _ -); do
	id=$((id + 1))
	# shellcheck disable=SC2053  # a pattern on purpose
	[[ $name == $ONLY ]] || continue
	while [ "$(jobs -r -p | wc -l)" -ge "$JOBS" ]; do wait -n; done
	(trap - EXIT; record "$id" "$name") </dev/null &
done
wait
exit 0
