# The same of real files: XSpaces of TPUs and GPUs, packed traces of PyTorch,
# captures.
data=${NETAN_TEST_DATA-}
if [ ! -d "$data/pcap" ]; then
	echo "skip: NETAN_TEST_DATA does not name the folder of real files"
	exit 77
fi
. "$NETAN_ROOT/tests/golden/slice/same.inc"
same "--from 30s --to 33s" "steps check" "$data/xplane/tpu_inference_2.xplane.pb"
# Steps are runs of a program there.
same "--step 2-4" "steps check" "$data/xplane/tpu_inference_2.xplane.pb"
netan ingest -q "$data/xplane/tpu_inference_2.xplane.pb" -o inference.netan
same "--step 2-4" "steps check" inference.netan
ranks="$data/chrome-trace"
same "--from 10ms --to 15ms" "collectives check" "$ranks/dlrm_8ranks" | grep -v larger
same "--step 6" "collectives steps check" "$ranks/hta_nccl_data_rank0of2.json.gz"
same "--from 2s --to 5s" "timeline rpc latency sizes tcp check" "$data/pcap/tcp_ftp_download_loss_sack.pcap"
same "--from 3s --to 10s" "timeline rpc latency sizes tcp" "$data/pcap/pcapng_2if_eth_sll_ns_dsb.pcapng"
# Of packets alone it is said what they do not tell, and no path is taken for a
# short one.
netan slice "$data/pcap/tcp_ftp_download_loss_sack.pcap" --from 3s --to 5s \
	--no-connections -o packets.pcap -q
for c in check tcp; do
	netan $c packets.pcap --from 3s --to 5s |
		grep -E '^(Do: find|timeout_bound|packets.pcap is a slice)'
done
# Without names, the same but for these.
bare()
{
	rm -rf cut bare
	netan slice "$3" $1 ${CUT-} -o cut/ -q
	netan slice "$3" $1 ${CUT-} --anonymize -o bare/ -q
	for c in $2; do
		result $c cut/* $1 --anonymize >whole.json
		result $c bare/* $1 --anonymize >part.json
		cmp -s whole.json part.json || echo "$c $1: differs"
		[ -s whole.json ] || echo "$c $1: nothing"
	done
	echo "${3##*/} without names: ${2%% *} to ${2##* }"
}
of_packets="timeline latency sizes bursts rpc pairs tcp check"
for CUT in "" --no-connections; do
	bare "--from 22s --to 34s" "$of_packets" "$data/pcap/h2c_doh_34_requests_port80.pcap"
	bare "--from 3s --to 10s" "$of_packets" "$data/pcap/pcapng_2if_eth_sll_ns_dsb.pcapng"
	bare "--from 8s --to 14s" "$of_packets" "$data/pcap/sll_snap96_disordered.pcap"
done
CUT=
bare "--from 0s" "$of_packets" "$data/pcap/grpc_5_unary_one_slow.pcap"
bare "--from 0s" "rdma" "$data/pcap/rocev2_send_sport69.pcap"
bare "--from 10ms --to 15ms" "collectives check" "$ranks/dlrm_8ranks"
bare "--step 6" "collectives steps check" "$ranks/hta_nccl_data_rank0of2.json.gz"
rocprof="$data/rocprof/908_results.json.gz"
bare "--from 6s --to 9s" "collectives check" "$rocprof"
for c in collectives check; do
	result $c "$rocprof" --from 6s --to 9s >whole.json
	result $c cut/* --from 6s --to 9s >part.json
	cmp whole.json part.json && echo "rocprofv3, $c: same"
done
