# Why the slowest executions were late: what was planted is what is said.
late()
{
	netan slack "$@" | sed -n '/^the slowest/,/^$/p'
}
for fault in slow-compute:host-1:3 slow-path:host-1:host-2:20 \
	slow-sender:host-2:9 late-input:host-3:20ms; do
	rm -rf t
	netan synth -o t --run r --hosts 4 --devices 2 --steps 4 \
		--fault $fault >/dev/null
	echo "$fault"
	late t --late 2
done
# Around a ring; told by old messages, which name no launch; cut off.
for how in '--pattern ring --fault slow-host:host-2:6' \
	'--generation message --fault slow-compute:host-1:3' \
	'--fault slow-compute:host-1:3 --fault truncate:host-1:0.4'; do
	rm -rf t
	netan synth -o t --run r --hosts 4 --devices 2 --steps 4 $how >/dev/null
	late t --late 1
done
# A clock that is off changes nothing but how well it is known.
for clock in 0s 5ms -90ms; do
	rm -rf t
	netan synth -o t --run r --hosts 3 --devices 1 --steps 4 \
		--fault clock:host-2:$clock --fault slow-compute:host-2:3 >/dev/null
	late t --late 1 --collective 'all-gather*'
done
# One trace alone; packed; from a pipe; on more threads.
d=t/plugins/profile/r
late $d/host-0.xplane.pb --late 1 >alone
cat alone
gzip -k $d/host-0.xplane.pb
late $d/host-0.xplane.pb.gz --late 1 | cmp - alone
late - --late 1 <$d/host-0.xplane.pb | cmp - alone
rm $d/host-0.xplane.pb.gz
for j in 1 3; do
	netan slack t -j $j --waterfall -o $j.svg -o $j.json
done
cmp 1.svg 3.svg && cmp 1.json 3.json && echo same
grep -o '<title>[^<]*' 1.svg
# A transfer file tells the same; the picture is of an execution.
netan ingest t -o t.netan >/dev/null
late t >trace
late t.netan | cmp - trace && wc -l <trace
netan slack t.netan --waterfall -o n.svg
grep -o '<title>[^<]*' n.svg
netan slack t --waterfall --late 0 -o x.svg
netan slack t --waterfall --reference -o x.svg
