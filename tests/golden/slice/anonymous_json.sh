# slice --anonymize of traces in JSON: what commands say is what they say of the
# slice with names, but for these, and no name that was planted is left; a
# window of rocprofv3's document, with names and without.
netan synth -q -o p --profile pytorch --hosts 2 --devices 1 --steps 6
mkdir ranks
python='{"ph": "X", "cat": "python_function", "name": "\/home\/zq08user\/zq02.py(3): f", "pid": 4000, "tid": 4000, "ts": 8330399995700.0, "dur": 2, "args": {"Call stack": "\/home\/zq08user\/zq03.py(7): g"}},'
for f in p/kineto/*; do
	to=$(basename "$f" | sed 's/host-/zq01node/')
	sed -e 's/DATA_PARALLEL_GROUP/zq08user-dp/g' \
		-e 's/"python3"/"\/home\/zq08user\/zq04"/g' \
		-e 's/"traceName": "/"traceName": "zq05/' \
		-e 's/flash_fwd_kernel/fwd_zq08user_kernel/g' \
		-e 's/"dtype": "BFloat16"/"dtype": "BFloat16", "zq06": "zq07"/g' \
		-e "s/\"traceEvents\": \[/&$python/" "$f" >ranks/"$to"
done
body()
{
	netan "$@" --format json -q 2>&1 |
		sed -n '/^ *"result"/,$p' | grep -v '"path"\|"command"'
}
same()
{
	for c in $3; do
		body $c plain/* $2 --anonymize >a
		body $c bare/* $2 >b
		cmp a b && [ -s a ] && echo "$c $2: the same"
	done
	cat plain/* | LC_ALL=C grep -o 'zq[0-9]*' | sort -u | tr '\n' ' '
	cat bare/* | LC_ALL=C grep -c zq
	rm -r plain bare
}
for w in "--step 2-3" "--from 50ms --to 120ms"; do
	netan slice -q ranks $w -o plain/
	netan slice -q --anonymize ranks $w -o bare/
	ls bare
	same ranks "$w" "timeline collectives steps pairs check"
done
netan slice -q --anonymize ranks --step 2 -o one/
sed -n '/"netan slice"/,/^"traceEvents"/p' one/input-1.trace.json
sed -n '/ProfilerStep#2/p' one/input-1.trace.json
netan info one/* | sed -n '1p;$p'
echo "rocprofv3"
record()
{
	printf '%s{"size":10,"start_timestamp":%d,"end_timestamp":%d,' "$1" $2 $3
	printf '"dispatch_info":{"agent_id":{"handle":%d},"kernel_id":%d}}' $4 $5
}
{
	printf '{"rocprofiler-sdk-tool":[{"metadata":{"node":{"hostname":"zq11node"},'
	printf '"command":["/home/zq12user/train.py"]},'
	printf '"agents":[{"id":{"handle":9},"type":1},{"id":{"handle":11},"type":2},{"id":{"handle":12},"type":2}],'
	printf '"kernel_symbols":[{"kernel_id":1,"formatted_kernel_name":"gemm_zq12user"},{"kernel_id":2,"formatted_kernel_name":"ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)"}],'
	printf '"buffer_records":{"kernel_dispatch":['
	record "" 1000000 1100000 11 1
	record , 1200000 1300000 12 1
	for i in 1 2 3 4 5 6 7 8 9; do
		record , $((i * 1000000 + 100)) $((i * 1000000 + 200000)) 11 1
		record , $((i * 1000000 + 300000)) $((i * 1000000 + 400000)) 11 2
	done
	printf '],"hip_api":['
	record "" 3000000 3100000 11 1
	record , 7000000 7100000 11 1
	printf ']}}]}\n'
} >zq13.json
w="--from 5ms --to 7ms"
netan slice zq13.json $w -o plain/ | sed -E 's/[0-9.]+ [KM]?i?B/N B/g'
netan slice -q --anonymize zq13.json $w -o bare/
netan info plain/zq13.json | sed -n '1p;$p'
grep -o '"hip_api":.*' plain/zq13.json
tail -n +2 bare/input-1.trace.json
for c in collectives check; do
	body $c zq13.json $w >whole
	body $c plain/* $w >part
	cmp whole part && [ -s part ] && echo "$c: as the whole in its window"
done
netan slice -q plain/zq13.json --from 6ms --to 7ms -o again.json
grep -o '"netan slice".*' again.json
head -c 1500 zq13.json >zq14.json
netan slice zq14.json --from 0s -o cut.json 2>&1 | sed -E 's/[0-9.]+ [KM]?i?B/N B/g'
netan info cut.json 2>&1 | head -n 1
same zq13.json "$w" "collectives check"
# What is broken in a text is mended, not copied.
{
	printf '{"distributedInfo": {"rank": 0}, "traceEvents": [\n'
	printf '{"ph": "X", "cat": "kernel", "name": "a\377b\\q\tc", "ts": 5,'
	printf '"dur": 2, "pid": 0, "tid": 7, "args": {"stream": 7}}]}\n'
} >broken.json
netan slice -q --anonymize broken.json --from 0ms --to 1ms -o mended/
grep '"X"' mended/*
