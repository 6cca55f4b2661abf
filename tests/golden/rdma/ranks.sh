# Which ranks, and which of their operations, queue pairs of a capture served,
# from files of NCCL's example profiler plugin; a number that two ranks use is
# joined with neither, and unknown ones are left alone.
if ! command -v python3 >/dev/null; then
	echo "skip: python3 is not here"
	exit 77
fi
netan synth -o r.pcap --roce 400 --condition roce-loss >/dev/null 2>&1
# The second host's own numbers: 257 to 513, and 259 to 515.
python3 "$NETAN_ROOT/tests/oracle/profiler.py" plugin job 6 257 259
python3 "$NETAN_ROOT/tests/oracle/profiler.py" plugin same 6 257 257
python3 "$NETAN_ROOT/tests/oracle/profiler.py" plugin other 6 1 2
netan rdma r.pcap job/host*/*.json 2>/dev/null
netan rdma r.pcap job/host*/*.json --format json 2>/dev/null |
	sed -n '/"source_qp": 257/,/^      }/p'
netan rdma r.pcap same/host*/*.json 2>/dev/null | tail -n 2 | head -n 1
netan rdma r.pcap other/host*/*.json 2>/dev/null | tail -n 2 | head -n 1
netan check r.pcap job/host*/*.json --only rdma-queue-pair 2>/dev/null |
	sed -n 's/.*\(served .*\)/\1/p'
