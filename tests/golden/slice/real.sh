# The same of real files: XSpaces of TPUs and GPUs, packed traces of PyTorch,
# captures.
data=${NETAN_TEST_DATA-}
if [ ! -d "$data/pcap" ]; then
	echo "skip: NETAN_TEST_DATA does not name the folder of real files"
	exit 77
fi
. "$NETAN_ROOT/tests/golden/slice/same.inc"
same "--from 30s --to 33s" "steps check" "$data/xplane/tpu_inference_2.xplane.pb"
ranks="$data/chrome-trace"
same "--from 10ms --to 15ms" "collectives check" "$ranks/dlrm_8ranks" | grep -v larger
same "--step 6" "collectives steps check" "$ranks/hta_nccl_data_rank0of2.json.gz"
CUT=--connections
same "--from 2s --to 5s" "timeline rpc latency sizes" "$data/pcap/tcp_ftp_download_loss_sack.pcap"
same "--from 3s --to 10s" "timeline rpc latency sizes tcp" "$data/pcap/pcapng_2if_eth_sll_ns_dsb.pcapng"
