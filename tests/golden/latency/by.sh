# Groups of every kind; what --top leaves out is one group, and counted.
netan synth -o t --run r --hosts 3 --devices 2 --steps 2 \
	--fault slow-sender:host-1:5 >/dev/null
printf 'host,rack\nhost-0,a\nhost-1,a\nhost-2,b\n' >racks.csv
for by in host src dst pair collective transfer_type size step device label; do
	netan latency t --by $by --top 2 | sed -n '3,8p'
done
netan latency t --by class --topology racks.csv | sed -n '3,6p'
netan latency t --by component,size,host --top 3 | sed -n '3,8p'
netan latency t --by host --top 1 --format json |
	grep -E '"(host|count|groups_not_shown)"'
# A slow sender is last among receivers: the senders are pointed to; where a
# receiver is slow, or nobody, they are not.
netan latency t --by host | grep -c 'senders differ more: what host-1 sends'
for fault in slow-receiver:host-1:5 loopback:host-1:5; do
	netan synth -q -o "$fault" --run r --hosts 3 --devices 2 --steps 2 \
		--fault $fault
	netan latency "$fault" --by host | grep -c 'senders differ more'
done
# All transfers of a host twice as slow, and its slowest no slower than others'.
netan synth -q -o slow --run r --hosts 8 --steps 10 --fault slow-host:4:1.8
netan latency -q slow --by host | grep "^Network latency"
