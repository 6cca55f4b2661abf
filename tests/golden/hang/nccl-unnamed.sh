# NCCL's calls of two hosts, and no line that tells ranks: a GPU's number is
# no rank then, nobody is missing, nobody is blamed.
for r in 0 1 2 3; do
	host=node$((r / 2))
	for i in 0 1 2 3 4 5; do
		[ $r = 2 ] && [ $i -gt 3 ] && continue
		echo "$host:10$r:10$r [$((r % 2))] NCCL INFO AllReduce:" \
			"opCount $i sendbuff 0x1 recvbuff 0x2 count 1024" \
			"datatype 7 op 0 root 0 comm 0x55a$r [nranks=4]" \
			"stream 0x9"
	done >rank$r.log
done
netan hang . | head -n 1
