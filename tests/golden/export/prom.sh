# Metrics: what the three commands write, and all of them together.
f=$NETAN_ROOT/tests/data/graph.xplane.pb
for c in timeline collectives check; do
	netan $c -q "$f" -o $c.prom || echo "status $?"
done
grep -v '^netan_origin' timeline.prom
grep -v '^#' collectives.prom | sed 1,3d
grep -c '^netan_finding{' check.prom
# The union has every line of theirs.
netan export -q "$f" -o all.prom -o x.sqlite || echo "status $?"
cat timeline.prom collectives.prom check.prom | sort -u >parts
sort all.prom | comm -3 - parts
grep -c '^netan_window' all.prom
# A family stands together, once; no two samples have the same labels.
sed -n 's/^# TYPE \([^ ]*\).*/\1/p' all.prom | sort | uniq -d
grep -v '^#' all.prom | sed 's/ [^ ]*$//' | sort | uniq -d
# Names are data.
netan export --label a "$f" --label b "$f" -o runs.prom | grep -o 'metrics.*'
grep '^# HELP netan_received' runs.prom
netan collectives -q --label 'a"b\' "$f" --label c "$f" -o two.prom
grep '^netan_collective_executions' two.prom
sed s,host-,secret, "$f" >named.pb
netan check -q --anonymize named.pb -o anonymous.prom
grep -c secret anonymous.prom
netan latency -q "$f" -o x.prom
echo "status $?"
# Labels stay the same from run to run: each set of them is a series.
netan synth -q -o a --run r --hosts 4 --steps 10 --fault late-input:1:25ms
netan synth -q -o b --run r --hosts 4 --steps 10 --fault late-input:1:26ms
for run in a b; do
	netan check -q $run -o $run.prom
	grep -o '^netan_finding{.*}' $run.prom >$run.findings
done
cmp a.findings b.findings && head -n 1 a.findings
# A rank that is accused is no host.
netan synth -q -o g --profile pytorch --hosts 2 --devices 2 --steps 8 \
	--fault late-rank:1:5ms
netan check -q g/kineto -o g.prom
grep '^netan_accused' g.prom
# Who sent what is not told by a capture; of a host it is.
netan synth -q -o c.pcap --size 1MB
netan timeline -q c.pcap -o c.prom
netan timeline -q c.pcap --host 10.1.0.1 -o d.prom
grep -c '^netan_sent_bytes\|^netan_transmit' c.prom
grep -c '^netan_sent_bytes\|^netan_transmit' d.prom
# Of GPU jobs, what NCCL Inspector exports has its names, labels and words.
netan synth -q -o n --profile pytorch --hosts 4 --devices 2 --steps 2
netan collectives -q n/kineto -o n.prom
sed -n 's/^\(# HELP nccl_[a-z0-9_]*\).*/\1/p; s/^\(nccl_.*}\) .*/\1/p' n.prom
# The mean of what each rank was in it.
netan sql n/kineto -q "SELECT round(avg(end_ns - start_ns) / 1e3, 2) FROM operations
	WHERE operation = 'ALL_GATHER' AND group_name = '0,2'" --format csv |
	tail -n 1
sed -n 's/^nccl_coll.*AllGather.*"0,2".* //p' n.prom
# Who is accused is named: a path by both its ends.
netan synth -q -o path --hosts 4 --steps 10 --fault slow-path:1:2:4
netan check -q path -o path.prom
grep '^netan_accused' path.prom
