# What a culprit costs in a window is what its steps cost in the whole run.
netan synth -q -o job --hosts 4 --steps 12 --fault slow-sender:host-1:4
for window in "" "--step 0-5" "--step 6-11"; do
	netan check -q $window job | sed -n '1p'
done
# Two checks that see one culprit are one finding, and neither passes.
netan check -q --format json job |
	grep -E '"(also|confidence|sure)"' | sort | uniq -c | sed 's/^ *//'
netan check -q job | sed -n '/^passed/,/^$/p' | grep -c straggler
# What it costs in part; and a stall that another one explains names no other host.
netan synth -q -o path --hosts 8 --steps 12 --fault slow-path:host-1:host-6:4
netan check -q path | sed -n '1p; /slack-small/,/^Do/p'
