# One kernel that receives from two ranks: each pair has the transfer of its
# own sender, and its bytes when that one moves them.
record()
{
	printf '{"header":{"id":"0xall","rank":%d,"n_ranks":3,"nnodes":3},' "$1"
	printf '"metadata":{"inspector_output_format_version":"v4.0",'
	printf '"git_rev":"x","rec_mechanism":"x","dump_timestamp_us":%d,' "$6"
	printf '"hostname":"host-%d","pid":1%d},"p2p_perf":{' "$1" "$1"
	printf '"p2p":"%s","p2p_peer":%d,"p2p_sn":%d,' "$2" "$3" "$4"
	printf '"p2p_msg_size_bytes":%d,"p2p_exec_time_us":%d,' "$7" $(($6 - $5))
	printf '"p2p_timing_source":"kernel_gpu","event_trace_ts":{'
	printf '"p2p_start_ts":%d,"p2p_stop_ts":%d,"kernel_events":[{' "$5" "$6"
	printf '"channel_id":0,"kernel_start_ts":%d,"kernel_stop_ts":%d,' "$5" "$6"
	printf '"kernel_record_ts":%d}]}}}\n' "$6"
}
for i in 0 1 2 3 4 5 6 7 8 9 10 11; do
	from=$((1767607200000000 + i * 10000))
	to=$((from + 1000))
	record 0 Send 1 $i $((to - 100)) $to 1048576 >>r0.log
	record 1 Recv 0 $i $from $to 1048576 >>r1.log
	record 1 Recv 2 $i $from $to 4096 >>r1.log
	record 2 Send 1 $i $((from - 50)) $to 4096 >>r2.log
done
netan pairs r0.log r1.log r2.log --format csv --table pairs |
	cut -d , -f 1,2,5,7-9
netan timeline r0.log r1.log r2.log --bin 500us --from 0ms --to 1ms --format csv
