# Every command runs on a stack of 128 KiB, its threads, too.
[ -n "${NETAN_SAN-}" ] && {
	echo "skip: sanitizers need larger stacks"
	exit 77
}
netan synth -q -o job --hosts 2 --steps 3
netan synth -q -o gpu --profile pytorch --devices 2 --steps 3
netan synth -q -o c.pcap --condition loss
gzip -c job/plugins/profile/*/host-0.xplane.pb >z.xplane.pb.gz
printf '2026-10-01T03:09:06Z HANG_DETECTED\n' >log
printf 'Counter: x\n  Value: 1\n' >met
ulimit -s 128 || exit 77
for j in 1 4; do
	for c in info check timeline latency sizes bursts rpc pairs collectives \
		slack steps tcp rdma; do
		pictures="-o x.svg -o x.png"
		case $c in info | check | collectives) pictures= ;; esac
		for i in job gpu/kineto c.pcap z.xplane.pb.gz; do
			netan $c -j $j $i -o x.json -o x.md $pictures >out 2>&1
			[ $? -gt 2 ] && echo "$c $i"
		done
	done
	for c in "report job -o r.html" "report c.pcap -o folder/" "hlo job" \
		"hang log" "xla-metrics met" "sysctl" "ingest job -o made/" \
		"ingest c.pcap -o c.netan" "diff --label a job --label b job" \
		"partial --shard 1/1 -o s.nap pairs job" "merge s.nap" \
		"synth -o again --hosts 2" "help --schema check" "help pairs"; do
		netan $c >out 2>&1
		[ $? -gt 2 ] && echo "$c"
	done
done
echo "all of them"
