# --anonymize of GPU jobs: secrets in files of every format, whole and cut, and
# in what tells of hangs.  Groups and threads are called after hosts only where
# something names these as hosts: other names of such stay.
command -v sqlite3 >/dev/null || { echo "skip: there is no sqlite3"; exit 77; }
. "$NETAN_ROOT/tests/golden/cli/anonymize.inc"
corpus=$NETAN_ROOT/tests/fuzz/corpus
J=/home/zq01user/zq02job/train.py
netan synth -q -o p --profile pytorch --hosts 2 --devices 1 --steps 2 \
	--evidence kineto --evidence recorder --evidence recorder-json \
	--evidence inspector >/dev/null
plant() # FROM TO GROUP: hosts, Python files, groups, threads, operations
{
	mkdir -p $2
	for f in $1/*; do
		LC_ALL=C sed -e "s/host-\([01]\)/zq03node\1/g" -e "s|train\.py|$J|g" \
			-e "s/DATA_PARALLEL_GROUP/$3/g" \
			-e 's/"nccl:_reduce_scatter_base"/"nccl:_zq03node1_base"/g' \
			-e 's/NVIDIA H100/NVIDIA of zq03node1/' \
			-e 's/python3/zq03node0-python/g' \
			-e 's/ProfilerStep#/zq03node0 ProfilerStep#/' \
			"$f" >"$2/$(basename "$f" | sed 's/host-/zq03node/')"
	done
}
plant p/kineto zq04kineto 'DP of zq03node0'
plant p/inspector zq05inspector
plant p/recorder-json zq06json DP
mkdir zq07pickle zq08comma zq09plugin zq10rocprof zq11nsight zq12logs zq13jax
for r in 0 1; do # of as many letters
	LC_ALL=C sed -e 's/_reduce_scatter_base/_zq14node0atter_base/g' \
		-e 's/DATA_PARALLEL_GROUP/DATA_zq14node0_GROUP/g' \
		p/recorder/nccl_trace_rank_$r >zq07pickle/zq14node${r}_$r
done
cp $corpus/profiler/comma zq08comma/latency-1.txt
cp $corpus/profiler/plugin zq09plugin/zq15_6390272222692259759_1.json
sed 's/"hostname":"h"/"hostname":"zq16node"/' $corpus/kineto/rocprof.json \
	>zq10rocprof/zq17rank_results.json
cp $corpus/nsight/kernels.sqlite zq11nsight/zq18.sqlite
sqlite3 zq11nsight/zq18.sqlite "
	CREATE TABLE TARGET_INFO_SYSTEM_ENV(name,value);
	INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES('Hostname','zq19node');"
sed -e 's/Stream #7(Compute)/Stream #7(Compute) of zq20node/' \
	-e 's/"metadata":{/&"hostname":"zq20node",/' $corpus/jax/gpu \
	>zq13jax/zq20node.zq21dom.corp.trace.json
# Logs: of NCCL, of its watchdog, of RAS; and words of others.
sed 's/h03r3n06:\([0-9]*\)/zq22node:\1/' $corpus/nccl/calls >zq12logs/zq23.log
sed -e 's/:node\([01]\):/:zq24node\1:/' -e 's/Init COMPLETE/& on zq25peer/' \
	$corpus/nccl/init >zq12logs/zq26.log
echo 'zq22node:45006:45006 [0] NCCL WARN NET/IB : Got completion from peer zq27peer<10.1.0.9> with status=12 dev zq28nic' \
	>>zq12logs/zq23.log
mkdir zq29ras zq30watchdog
sed 's/10\.0\.0\./10.1.0./g' $corpus/nccl/ras_json >zq29ras/zq31.json
sed 's/on node [0-9.]*/on node zq32node/' $corpus/nccl/ras_text >zq29ras/zq33.txt
sed 's/^/zq34node0: /' $corpus/nccl/watchdog >zq30watchdog/zq34node0.log
# What breaks off.
for d in zq0[4-9]* zq10* zq11* zq13*; do
	for f in $d/*; do
		mkdir -p zq35cut/$d
		head -c $(($(wc -c <$f) * 2 / 3)) $f >zq35cut/$f
	done
done
printf 'rank,host\n0,zq36node0\n1,zq36node1\n' >zq37hosts.csv
for d in zq0[4-9]* zq10* zq11* zq13* zq35cut/*/*; do
	ran=
	see info --anonymize $d
	see collectives --anonymize $d
	see hang --anonymize $d
	echo "$d:$ran"
done
for d in zq12logs zq29ras zq30watchdog zq06json zq07pickle zq05inspector .; do
	ran=
	see hang --anonymize $d
	see hang --anonymize $d/*
	echo "$d:$ran"
done
ran=
for c in timeline latency sizes bursts rpc pairs slack steps rdma check; do
	see $c --anonymize zq04kineto
	see $c --anonymize zq04kineto/*0_* --hosts zq37hosts.csv
done
for d in zq04kineto zq05inspector zq06json zq07pickle zq09plugin zq10rocprof \
	zq11nsight zq13jax; do
	made ingest --anonymize $d -o o.netan
	made ingest --anonymize $d -o o.dir/
	made report --anonymize $d -o o.html
done
see diff --anonymize zq04kineto/*0_* zq04kineto/*1_*
echo "others:$ran"
said
