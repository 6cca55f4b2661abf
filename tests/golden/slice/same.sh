# What commands say of a window, they say of its slice: transfers of both
# generations, clocks apart, hosts that are slow; ranks of GPU jobs; captures,
# whose connections are whole; transfer files.
. "$NETAN_ROOT/tests/golden/slice/same.inc"
all="timeline latency sizes bursts rpc pairs collectives slack steps check"
ranks="timeline bursts pairs collectives steps check"
netan synth -q -o new --hosts 4 --devices 2 --steps 10 --fault slow-sender:2:3
netan synth -q -o apart --hosts 4 --steps 10 --fault clock:1:40ms \
	--fault slow-sender:2:3
netan synth -q -o old --hosts 3 --steps 8 --generation message --message-spans
netan synth -q -o both --hosts 3 --steps 8 --generation both --compress gzip
netan synth -q -o ranks --profile pytorch --hosts 2 --devices 2 --steps 6
netan synth -q -o job.pcapng --size 1MB
netan synth -q -o job.pcap --size 1MB --seed 3
netan ingest -q new -o records/
netan ingest -q old -o old.netan
same "--from 80ms --to 160ms" "$all" new
same "--step 3-4" "$all" new
netan synth -q -o many --hosts 4 --devices 2 --steps 30 --ops 6
same "--step 2-28" "rpc latency" many
same "--from 250ms" "$all" new
same "--from 80ms --to 160ms" "timeline pairs slack check" apart
same "--step 3-4" "timeline pairs slack check" apart
same "--from 100ms --to 200ms" "$all" old
same "--step 5" "$all" both
same "--from 100ms --to 150ms" "$ranks" ranks
same "--step 2-3" "$ranks" ranks
same "--step 3-4" "$all" records
same "--from 100ms --to 200ms" "$all" old.netan
same "--from 100ms --to 300ms" "timeline latency sizes bursts pairs rpc tcp check" job.pcapng
same "--from 5s --to 6s" "timeline latency sizes bursts pairs rpc tcp rdma check" job.pcap
# Queue pairs are numbered as there; nothing but they in the window.
same "--from 60ms --to 90ms" "timeline pairs rpc tcp rdma check" job.pcap
same "--from 1s --to 1100ms" "rpc" job.pcap
netan ingest -q job.pcap -o job.netan
same "--from 210ms --to 212ms" "timeline tcp check" job.netan
# No transfer in the window.
same "--from 1ms --to 5ms" "timeline pairs slack steps check" old
echo "packets alone, and a damaged file: the slice says so, whenever it is read"
netan slice -q job.pcap --from 5s --to 6s --no-connections -o alone.pcap
netan latency alone.pcap --format json -q | grep -o '"alone.pcap is.*'
netan latency alone.pcap --from 5s --to 6s | grep alone
netan slice -q alone.pcap --from 5s --to 5500ms -o again.pcap
netan info again.pcap | grep -o 'is a slice.*'
head -c $(($(stat -c %s job.pcap) - 100)) job.pcap >broken.pcap
for f in broken.pcap part.pcap; do
	netan check $f --from 1s --to 2s 2>&1 | grep -E '^(cannot|netan)'
	netan slice -q broken.pcap --from 1s --to 2s -o part.pcap 2>/dev/null
done
netan slice job.pcap --from 5s --to 6s -o x.pcap | head -n 1 |
	sed -E 's/[0-9.]+ [KM]?i?B/N B/g'
netan slice job.pcap --from 5s --connections --no-connections -o y.pcap
echo "a slice of a slice, one host, another name"
netan slice -q new --step 2-6 -o wide/
netan slice -q wide/ --step 3-4 -o narrow/
result pairs wide/ --step 3-4 >a
result pairs narrow/ --step 3-4 >b
cmp a b && echo same
host=$(echo new/plugins/profile/*/host-2.xplane.pb)
netan slice -q "$host" --step 3-4 --host host-2 -o one.xplane.pb
for c in timeline steps slack; do
	result $c "$host" --step 3-4 >a
	result $c one.xplane.pb --step 3-4 >b
	cmp a b && echo same
done
