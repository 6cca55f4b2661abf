# Ranks of PyTorch over NCCL: bytes that must not depend on the compiler or the
# machine, how each format begins, and what the truth says of faults.
netan synth -o out --profile pytorch --hosts 2 --devices 4 --steps 2 --ops 1 \
	--collectives 4 --evidence kineto --evidence recorder \
	--evidence recorder-json --evidence inspector
for kind in kineto recorder recorder-json inspector; do
	echo "$kind: $(cat out/$kind/* | cksum)"
done
sed -n '/distributedInfo/,/"cuda_runtime"/p' out/kineto/host-1_4005.* |
	cut -c1-300
od -An -c -w16 out/recorder/nccl_trace_rank_5 | head -12
cut -c1-600 out/recorder-json/nccl_trace_rank_5
head -n 1 out/inspector/host-1-pid4005.log
sed -n '/"executions"/q; p' out/truth.json
for fault in stuck-device:r5 stuck-host:r5 mismatch:r5 missing-rank:r5; do
	netan synth -q -o "$fault" --profile pytorch --hosts 2 --devices 4 \
		--steps 2 --fault "$fault"
	sed -n '/"kind"/p' "$fault/truth.json"
	find "$fault" -name '*rank_*' | wc -l
done
# Packed, and less of what newer versions tell.
netan synth -q -o less --profile pytorch --hosts 1 --devices 2 --steps 1 \
	--compress gzip --without seq --without kernel-args \
	--without distributed-info --fault late-rank:1:3ms
gzip -dc less/kineto/*_4001.* | grep -c 'Seq\|distributedInfo'
# A smaller job does not take the place of a larger one.
netan synth -q -o out --profile pytorch --hosts 1 --devices 4
echo "$?"
