# Within the silence of a retransmission timeout a connection says nothing, and
# stalls all the same: nobody is acquitted, in a slice as in the capture, and
# tcp shows it. A transfer file does not tell what was in the window.
netan synth -q -o cap.pcap
for window in "0.35s 0.45s" "0.36s 0.39s" "0.1s 0.2s"; do
	echo "== $window"
	netan check -q --from "${window% *}" --to "${window#* }" cap.pcap | sed -n 1p
	netan slice -q --from "${window% *}" --to "${window#* }" -o slice.pcap cap.pcap 2>/dev/null
	netan check -q slice.pcap | sed -n 1p
done
netan tcp -q --from 0.35s --to 0.45s --src 10.1.0.1 --dst 10.1.0.4:8471 cap.pcap
netan tcp -q --from 0.35s --to 0.45s --format json cap.pcap |
	grep -E '"stalled_ms": [1-9]'
echo "== transfer file"
netan ingest -q cap.pcap -o cap.netan
netan check -q --from 0.35s --to 0.45s cap.netan | sed -n 1p
echo "== RoCEv2"
netan synth -q -o cap.pcap --connections 0 --rpcs 0 --roce 2000 --hosts 4 --condition roce-timeout
for window in "0s 0.04s" "0.01s 0.04s" "0.05s 0.06s" "0.05s 0.1s"; do
	echo "== $window"
	netan check -q --from "${window% *}" --to "${window#* }" cap.pcap | sed -n 1p
	netan slice -q --from "${window% *}" --to "${window#* }" -o slice.pcap cap.pcap 2>/dev/null
	netan check -q slice.pcap | sed -n 1p
done
netan rdma -q --from 0.01s --to 0.04s cap.pcap
netan rdma -q --from 0.01s --to 0.04s --format json cap.pcap |
	grep -E '"stalled_ms": [1-9]'
