# Every command that tells something of a session in JSON tells the same of the
# directory of transfer files that ingest -o DIR/ makes of it: whatever commands
# there are, but for tcp, rdma, hang, sysctl and xla-metrics, whose inputs are
# no part of such files.  Nor does check, of recorders and captures, tell what
# those would.
result()
{
	(cd "$1" && netan "$2" s --format json 2>/dev/null | awk '
		/^  "result":/ { on = 1 }
		on && !/^ *"(path|format)": / ' |
		sed -E 's#s/([^" ]*/)*([^" /]*)\.(xplane\.pb|netan)#\2#g')
}
commands=$(netan --help | sed -n 's/^  \([a-z][a-z-]*\)  *[a-z].*/\1/p')
try()
{
	netan ingest -q -o "files/$1/s/" "traces/$1/s" 2>/dev/null
	told=
	for c in $commands; do
		case $1/$c in
		*/tcp|*/rdma|*/hang|*/sysctl|*/xla-metrics) continue ;;
		dumps/check|packets/check) continue ;;
		esac
		result "traces/$1" $c >want.json
		[ -s want.json ] || continue
		result "files/$1" $c >is.json
		if cmp -s want.json is.json
		then told="$told $c"
		else echo "$1: $c differs"; diff want.json is.json | head -5; fi
	done
	echo "$1: the same of$told"
}
synth()
{
	name=$1
	shift
	mkdir -p "traces/$name" "files/$name"
	netan synth -o "traces/$name/s" "$@" >/dev/null
	try "$name"
}
synth tpu --hosts 4 --slices 2 --steps 8 --fault slow-sender:1:3 \
	--fault clock:2:3ms --fault program:3
synth gpu --profile gpu --hosts 3 --steps 4 --fault slow-compute:1:1.3
synth fleet --profile fleet --hosts 12 --steps 4
synth ranks --profile pytorch --hosts 2 --devices 4 --steps 6 \
	--fault late-rank:3:40ms
synth dumps --profile pytorch --hosts 2 --steps 4 --evidence recorder-json
synth logs --profile pytorch --hosts 2 --steps 4 --evidence inspector
synth both --hosts 3 --steps 3 --generation both \
	--fault loopback:0:20 --fault no-latency:1:30 --fault bad-key:2:9 \
	--fault registration:0:4 --fault copy:1:5 --fault truncate:1:0.7
# Captures are of one job, and become one file.
mkdir -p traces/packets/s files/packets
netan synth -o traces/packets/s/a.pcap >/dev/null
rm traces/packets/s/*.json
try packets
ls files/packets/s
