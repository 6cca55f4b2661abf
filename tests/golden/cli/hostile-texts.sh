# Names from logs, settings, CSV files and labels are text in every output.
b=$(printf '\342\200\256')
e=$(printf '\033')
none=$(printf '\357\277[\276\277]')
bad="=2+3|<img src=x>[a](b)$e]0;x$(printf '\007\357\277\276\357\277\277')$b"
look()
{
	name=$1
	shift
	"$@" -o x.json -o x.csv -o x.tsv -o x.md -o - >x.table 2>x.stderr
	echo "$name: exit $?"
	for f in x.*; do
		grep -aq "$e" $f && echo "$f: an escape"
		grep -aq "$b" $f && echo "$f: a bidirectional mark"
		grep -aq "$none" $f && echo "$f: U+FFFE or U+FFFF"
		grep -aq "$(printf '\007')" $f && echo "$f: a bell"
	done
	grep -aqE '<img|[^\\]\]\(b\)' x.md && echo "x.md: markup"
	# Where it is said, and a cell that would be a formula has its mark.
	echo $(grep -al '2+3' x.*)
	grep -aE '(^|[,"	])=2\+3' x.csv x.tsv
	rm -f x.*
}
cat >hang.log <<EOF
E0102 03:09:06.1 77 y.cc:8] Megascale detects a hang that is likely caused by a networking issue.
  The hosts are: $bad
  Full error digest:
    Potential cause: $bad
    Potential culprit workers: job/3:$bad
EOF
look hang netan hang hang.log
cat >met.log <<EOF
Metric: $bad
  TotalSamples: 40
  Accumulator: 12s310ms842.117us
Counter: aten::$bad
  Value: 84
Metric: ExecuteTime
  TotalSamples: 96
  Accumulator: 12s310ms842.117us
EOF
look xla-metrics netan xla-metrics met.log
mkdir -p snap/proc/sys/kernel snap/proc/sys/net/ipv4
printf '%s' "$bad" >snap/proc/sys/kernel/hostname
echo '4096 87380 6291456' >snap/proc/sys/net/ipv4/tcp_rmem
look sysctl netan sysctl --root snap
netan synth -o t --hosts 2 --steps 3 --seed 5 >synth.log 2>&1
look labels netan latency --label "$bad" t --by label
printf 'host,rack\nhost-0,"%s"\nhost-1,b\n' "$bad" >racks
netan pairs t --topology racks -o x.json -o x.svg -o x.md -q
grep -alE "$e|$b|<img" x.json x.svg x.md
cp "$NETAN_ROOT/tests/data/tcp.pcap" .
printf 'address,host\n10.0.0.1,"%s"\n10.0.0.2,"%s"\n' "$bad" "=4|5" >hosts
look hosts netan tcp tcp.pcap --hosts hosts
netan tcp tcp.pcap --hosts hosts -o x.svg -q
netan report tcp.pcap --hosts hosts -o r.html -o r/ -q
grep -alE "$e|$b|<img" x.svg r.html r/report.md
grep -alE '2\+3' r.html r/report.md
