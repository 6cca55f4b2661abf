# Logs with NCCL's calls and the watchdog's lines among others, and answers of
# RAS: who is named.  mismatch: ROCm/rccl#429; stragglers: NVIDIA/nccl#1911.
call()
{
	echo "h03r3n06:4500$1:4500$1 [$1] NCCL INFO $2: opCount $3 sendbuff 0x7f recvbuff 0x7f count $4 datatype $5 op 0 root 0 comm 0x55$1 [nranks=4] stream 0x55"
}
{
	echo "epoch 3, step 17: loss 0.31"
	for rank in 0 1 3; do
		call $rank AllReduce 28b 1024 7
		call $rank AllReduce 28c 9984512 7
		call $rank AllReduce 28d 8149504 7
	done
	call 2 AllReduce 28b 1024 7
	call 2 AllGather 28c 59205120 0
	call 2 AllGather 28d 15360 0
} >mismatch.log
cat >stragglers.txt <<'RAS'
Group     Comms     Nodes     Ranks     Ranks     Ranks    Status  Errors
    #  in group  per comm  per node  per comm  in group
    0         1         4         8        32        32   RUNNING  MISMATCH

#0-0 (fa93daea854b060b) MISMATCH
  Communicator ranks have different AllGather operation counts
  30 ranks have launched up to operation 640
  2 ranks have launched up to operation 641
  Rank 12 -- GPU 4 managed by process 323032 on node 10.137.190.124
  Rank 13 -- GPU 5 managed by process 323033 on node 10.137.190.124
RAS
for rank in 0 2; do
	mkdir -p watchdog
	cat >"watchdog/$rank.log" <<WATCHDOG
[rank$rank]:[E626 06:24:44.15 ProcessGroupNCCL.cpp:616] [Rank $rank] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=808, OpType=ALLREDUCE, NumelIn=9801523, NumelOut=9801523, Timeout(ms)=600000) ran for 600030 milliseconds before timing out.
[rank$rank]:[E626 06:24:44.16 ProcessGroupNCCL.cpp:1785] [PG ID 0 PG GUID 0(default_pg) Rank $rank] Exception (either an error or timeout) detected by watchdog at work: 808, last enqueued NCCL work: 811, last completed NCCL work: 807.
WATCHDOG
done
echo "[rank1]:[E626 06:24:44.90 ProcessGroupNCCL.cpp:1785] [PG ID 0 PG GUID 0(default_pg) Rank 1] Exception (either an error or timeout) detected by watchdog at work: 807, last enqueued NCCL work: 807, last completed NCCL work: 807." >watchdog/1.log
netan hang mismatch.log
netan hang stragglers.txt
netan hang watchdog
