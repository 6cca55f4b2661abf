# Each slice has the window that it was cut with, and what it says is what
# --step picks of the whole job.
netan synth -q -o j --run r --hosts 2 --devices 1 --steps 24 --ops 4
netan slice -q --step 0-9 j -o a/
netan slice -q --step 10-23 j -o b/
rows() { grep -E '^(latency|slack|stall|steps)\.(p50|mean) ' | awk '{ print $1, $2, $3, $4, $5 }'; }
netan diff a b | tee out | rows
echo "== A, of the whole job"
netan diff --label A j --label B a --step 0-9 | rows
echo "== B"
netan diff --label A b --label B j --step 10-23 | rows
grep ' is a slice' out
echo "== one against the whole"
netan diff a j | grep -E '^steps\.(p50|mean) | is a slice' | cut -c 1-79
