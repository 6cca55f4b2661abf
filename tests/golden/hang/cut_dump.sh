# One rank's device is stuck, and the dump of a rank that waits for it is cut
# off: nobody is blamed, least of all the one whose dump is short.
netan synth -q -o j --profile pytorch --hosts 4 --devices 1 --fault stuck-device:3
netan hang j/recorder | sed -n 1p
truncate -s -200 j/recorder/nccl_trace_rank_2
netan hang -q j/recorder 2>/dev/null | grep -E '^(hang:|nobody|no whole|next)'
netan check j/recorder 2>/dev/null | grep -E -A 1 '^(cannot tell|error|hang:)|whole dumps'
