# Commands to paste: names that begin with a dash are no options, braces of the
# user's none of xargs', and a finding's window is the one that is shown.
netan synth -q -o ./-job --hosts 2 --steps 3
netan synth -o ./-dash --hosts 2 --steps 3 | tail -1
mkdir ./-p
netan partial -q --shard 1/1 -o ./-p/p0.1.nap pairs -- -job
netan merge -o ./-p/plan.nap -- -p/p0.1.nap | sed 1d
netan partial -q --shard 1/1 -o q.nap pairs --src '{}' -- -job
netan merge -o plan.nap q.nap | sed 1d
netan slice --from 0s -o ./-cut/ -- -job | tail -1
netan check -q --format json --from 0.05s --to 0.4s --capacity 1Gbps -- -job |
	grep '"command": "[a-z]* timeline' | sed -E 's/^ *//; s/ [0-9.]+s / Ns /g; s/ [0-9.]+s / Ns /g' | sort -u
