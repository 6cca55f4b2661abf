# Real traces: the all-reduces of a TPU host, GPUs without a collective.
data=${NETAN_TEST_DATA-}
if [ ! -d "$data/xplane" ]; then
	echo "skip: NETAN_TEST_DATA does not name the folder of real files"
	exit 77
fi
cd "$data/xplane" || exit
netan collectives tpu_inference_2.xplane.pb
netan collectives tpu_inference_2.xplane.pb --format json |
	sed -n '/"result"/,$p'
# Of the truth file: how many, and all their time.
tr '{' '\n' <"$data/truth/tpu_inference_2.xplane.pb.json" |
	awk '/"line": ?"XLA Ops".*"family"/ && match($0, /"duration_ps": ?[0-9]+/) {
		text = substr($0, RSTART, RLENGTH); gsub(/[^0-9]/, "", text)
		n++; sum += text }
	END { printf "%d %.0f\n", n, sum }'
for f in gpu*.pb; do
	netan collectives "$f"
	echo "exit $?"
done
