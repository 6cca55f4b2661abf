# --anonymize of logs, host settings and reports.
words='secret|carol|corp|10\.1\.0\.'
see()
{
	echo "netan $*" | sed -E "s/$words/X/g"
	rm -f o.*
	netan "$@" -v >o.table 2>o.stderr
	code=$?
	netan "$@" --format json >o.json 2>>o.stderr
	netan "$@" --format csv >o.csv 2>>o.stderr
	for f in o.*; do
		grep -aE "$words" $f | head -n 3 | sed "s/^/$f: /"
	done
	test -s o.json || cat o.stderr
	echo "exit $code"
}
mkdir -p carol/logs
cat >carol/logs/coordinator.log <<'EOF'
[carol-job-0] I0102 03:04:05.600000 77 x.cc:9] Megascale hang detected: Timed out waiting for 2 graphs to complete at launch_id 811. Already completed: 40. StepGloballyInProgress: true. Timeout: 5m
[carol-job-0] E0102 03:09:06.100000 77 y.cc:8] Megascale detects a hang that is likely caused by a networking issue.
[carol-job-0]   The hosts are: secret-a, secret-b.corp
[carol-job-0]   Full error digest:
[carol-job-0]     Potential cause: Networking issue
[carol-job-0]     Potential culprit workers: carol/3:secret-a, carol/9:secret-b.corp
[carol-job-0]     TPU states:
[carol-job-0]     Module: jit_step
[carol-job-0]     Fingerprint: 12ab
[carol-job-0]     Launch ID: 811
[carol-job-0]       7:0x10(all-reduce.1): secret-a, secret-b.corp
EOF
see hang --anonymize carol/logs
netan hang --anonymize carol/logs | head -n 4
cat >carol/met.log <<'EOF'
Metric: CompileTime
  TotalSamples: 40
  Accumulator: 12s310ms842.117us
Metric: ExecuteTime
  TotalSamples: 96
  Accumulator: 12s310ms842.117us
Counter: MarkStep
  Value: 84
Compilation Analysis: ================================================================================
Compilation Analysis: Compilation Cause
Compilation Analysis:   user mark_step
Compilation Analysis: Graph Info: 
Compilation Analysis:   Graph Hash: 12ab
Compilation Analysis:   Number of Graph Inputs: 2
Compilation Analysis:   Number of Graph Outputs: 1
Compilation Analysis: Python Frame Triggered Execution: 
Compilation Analysis:   step (/home/carol/train.py:12)
Compilation Analysis:   main (/app/secret/main.py:3)
Compilation Analysis: --------------------------------------------------------------------------------
Compilation Analysis: ================================================================================
EOF
see xla-metrics --anonymize carol/met.log
see xla-metrics --anonymize carol/nothing.log
# A host's settings: as they would be said of this one.
mkdir -p carol/snap/proc/sys/kernel carol/snap/proc/sys/net/ipv4 carol/snap/proc/net
echo secret-a.corp >carol/snap/proc/sys/kernel/hostname
echo '4096 87380 6291456' >carol/snap/proc/sys/net/ipv4/tcp_rmem
cat >carol/routes <<'EOF'
default via 10.1.0.1 dev eth0 proto dhcp src 10.1.0.7 metric 100
10.1.0.0/24 dev eth0 proto kernel scope link src 10.1.0.7
EOF
see sysctl --anonymize --root carol/snap --routes carol/routes
# A report, as page and as directory.
netan synth -o s --hosts 2 --steps 4 --seed 3 >synth.log 2>&1
mkdir -p home/carol/plugins/profile/r
for k in 0 1; do
	mv s/plugins/profile/*/host-$k.xplane.pb \
		home/carol/plugins/profile/r/secret-node$k.corp.xplane.pb
done
netan report --anonymize home/carol -o r.html -o r/ --host 'secret-*' \
	--title 'what secret-node1.corp does' 2>err
echo "exit $?"
grep -alE "$words|home/" r.html r/* err
sed -n '2p;/^```/,/^```/p' r/report.md | head -n 8
netan check --anonymize home/carol --format json 2>err | grep -cE "$words"
netan diff --anonymize home/carol/plugins/profile/r/secret-node0.corp.xplane.pb \
	home/carol/plugins/profile/r/secret-node1.corp.xplane.pb -o d.json -o d.svg \
	-o d.md 2>err
echo "exit $?"
grep -alE "$words" d.json d.svg d.md err
# Dumps belong to who the directory is called after; names of one or two
# letters, in capitals, short or with their domain, and joined to others.
netan synth -o p --hosts 3 --steps 1 --hlo-dump dumps --fault program:1 \
	>synth.log 2>&1
mv dumps/host-0 dumps/secret-a.corp.example.com
mv dumps/host-1 dumps/x7
mv dumps/host-2 dumps/SECRET-b
see hlo --anonymize dumps
netan hlo --anonymize dumps | sed -n 3,5p
sed -i -e 's/secret-a,/SECRET-A.corp.example.com, x7,/' \
	-e 's/:secret-a,/:secret-a.corp.example.com, carol\/5:x7,/' \
	-e 's/all-reduce.1/all-reduce-secret-b.1/' carol/logs/coordinator.log
see hang --anonymize carol/logs
netan hang --anonymize carol/logs | sed -n '1p;/suspects/,$p'
