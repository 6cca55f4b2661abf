# One rank's device is stuck, and the dump of a rank that waits for it is cut
# off: nobody is blamed, least of all the one whose dump is short.
netan synth -q -o j --profile pytorch --hosts 4 --devices 1 --fault stuck-device:3
netan hang j/recorder | sed -n 1p
truncate -s -200 j/recorder/nccl_trace_rank_2
netan hang -q j/recorder 2>/dev/null | grep -E '^(hang:|no suspect|no whole|next)'
netan check j/recorder 2>/dev/null | grep -E -A 1 '^(cannot tell|error|hang:)|whole dumps'
# How far it came stands in front of its entries: one that never called is named
# for certain where these are short, and where that is not there it counts as
# one of whom there is no dump.
netan synth -q -o p --profile pytorch --hosts 4 --devices 1 --fault stuck-host:3
cp -r p/recorder rest
truncate -s -200 p/recorder/nccl_trace_rank_3
truncate -s 350 rest/nccl_trace_rank_3
for of in p/recorder rest; do
	netan hang $of | grep -E '^(hang:|why:|dump of|next: (give|or) )'
	netan check $of 2>/dev/null | grep -E '^(the job|error|Confidence: likely|.* of ranks .* called up to)' | sed -n 1,3p
done
# A cut dump whose counters say that its rank is held elsewhere, so that it has
# not called this: it is no culprit, whether the true one has a dump or not.
netan synth -q -o v --profile pytorch --hosts 4 --devices 1 --fault stuck-host:3
LC_ALL=C sed -i 's/\(last_enqueued_collectiveq\x12K\)\x14/\1\x13/' \
	v/recorder/nccl_trace_rank_2
cmp -s v/recorder/nccl_trace_rank_2 p/recorder/nccl_trace_rank_2 && echo "not edited"
truncate -s 1500 v/recorder/nccl_trace_rank_2
netan hang -q v/recorder 2>/dev/null | sed -n 1p
rm v/recorder/nccl_trace_rank_3
netan hang -q v/recorder 2>/dev/null | grep -E '^(hang:|no suspect)'
netan check v/recorder 2>/dev/null | sed -n 1p
# Of one culprit there is no dump, and that of the other is damaged.
rm rest/nccl_trace_rank_2
netan hang -q rest 2>/dev/null | grep -E '^(why|next: find)'
