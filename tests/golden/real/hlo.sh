# The programs of real traces: TPU and GPU.
data=${NETAN_TEST_DATA-}
if [ ! -d "$data/xplane" ]; then
	echo "skip: NETAN_TEST_DATA does not name the folder of real files"
	exit 77
fi
cd "$data/xplane" || exit
for f in *.pb; do
	netan hlo "$f" --format csv --table workers
	echo "exit $?"
done
netan hlo tpu_inference_2.xplane.pb --format csv --table collectives
