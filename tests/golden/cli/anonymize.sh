# --anonymize: no name of an input is in anything that any command writes,
# whichever way it is said; the same name gets the same number everywhere.
netan synth -o s --hosts 4 --steps 4 --seed 3 --fault slow-sender:host-1:3 \
	--fault truncate:host-3:0.7 >synth.log 2>&1
run=home/carol/runs/plugins/profile/r
mkdir -p $run
k=0
for f in s/plugins/profile/*/*.xplane.pb; do
	k=$((k + 1))
	mv "$f" "$run/secret-node$k.corp.xplane.pb"
done
printf 'host,rack\n' >carol-racks.csv
for k in 1 2 3 4; do
	printf 'secret-node%d.corp,secret-rack%d\n' $k $((k / 3)) >>carol-racks.csv
done
netan synth -o carol.pcap --seed 2 >synth.log 2>&1
printf 'address,host\n10.1.0.1,secret-tx\n10.1.0.2,secret-rx\n' >carol-hosts.csv
echo 'not a trace' >home/carol/broken.xplane.pb
words='secret|carol|corp|10\.1\.0\.'
# Everything of one run, in one file.
see()
{
	rm -f o.*
	echo "netan $*" | sed -E "s/$words/X/g"
	netan "$@" -v >o.table 2>o.stderr
	code=$?
	netan "$@" --format json >o.json 2>>o.stderr
	netan "$@" --format csv >o.csv 2>>o.stderr
	netan "$@" --format md >o.md 2>>o.stderr
	case $1 in
	info | collectives | check | hlo) ;;
	*) netan "$@" -o o.svg -o o.png >>o.stderr 2>&1 ;;
	esac
	for f in o.*; do
		if grep -aqE "$words" $f; then
			echo "$f: $(grep -aE "$words" $f | head -n 3)"
		fi
	done
	test -s o.json || cat o.stderr
	echo "exit $code"
}
for c in info timeline latency sizes bursts rpc pairs collectives slack steps \
	hlo check; do
	case $c in
	hlo | info) see $c --anonymize home/carol/runs ;;
	*) see $c --anonymize home/carol/runs --host 'secret-*' ;;
	esac
done
see pairs --anonymize --topology carol-racks.csv home/carol/runs \
	home/carol/broken.xplane.pb
see steps --anonymize home/carol/runs --host secret-node2.corp --title "secret-node2.corp alone"
for c in info timeline latency sizes rpc pairs tcp check; do
	see $c --anonymize carol.pcap
	see $c --anonymize carol.pcap --hosts carol-hosts.csv
done
see tcp --anonymize carol.pcap --src 10.1.0.1
# What cannot be is said without names, too.
for f in /home/carol/nothing carol-hosts.csv home/carol; do
	netan latency --anonymize $f 2>&1
done
netan latency --anonymize home/carol/runs --host secret-nobody 2>&1
netan latency --anonymize home/carol/runs --label a \
	$run/secret-node1.corp.xplane.pb 2>/dev/null | head -n 1
netan latency --anonymize $run/secret-node1.corp.xplane.pb \
	$run/secret-node1.corp.xplane.pb 2>&1
# The numbers follow the inputs, in every command alike.
netan latency --anonymize home/carol/runs --by host --format csv 2>/dev/null |
	cut -d, -f1 | sort | uniq -c
netan ingest --anonymize home/carol/runs -o carol.netan 2>&1 | grep -E "$words"
grep -acE "$words" carol.netan
# They stay when such a file is read, with and without.
netan latency carol.netan --by host --format csv >a.csv 2>/dev/null
netan latency --anonymize carol.netan --by host --format csv >b.csv 2>/dev/null
cmp a.csv b.csv && echo same
# The command in a picture leads nowhere.
netan timeline --anonymize home/carol/runs --host secret-node1.corp -o c.png \
	2>/dev/null
grep -ao 'Command.netan timeline [ -~]*' c.png | tr '\0' ' '
