# Real traces of PyTorch jobs: eight ranks in a directory, a rank alone, one
# that the profiler did not finish.
data=${NETAN_TEST_DATA-}
if [ ! -d "$data/chrome-trace" ]; then
	echo "skip: NETAN_TEST_DATA does not name the folder of real files"
	exit 77
fi
cd "$data/chrome-trace" || exit
netan info dlrm_8ranks
netan info tracelens_b200_vllm_tp8_rank0.json.gz
gzip -dc hta_nccl_data_rank0of2.json.gz | head -c 5000000 | netan steps -
echo "exit $?"
