# Real device planes: runs of a program are the steps; GPU traces without
# either.
data=${NETAN_TEST_DATA-}
if [ ! -d "$data/xplane" ]; then
	echo "skip: NETAN_TEST_DATA does not name the folder of real files"
	exit 77
fi
netan steps "$data/xplane/tpu_inference_2.xplane.pb" --top 3
for f in gpu_mi300_8dev_conv gpu_mi355_te_fused_attn_megascale_plane_empty; do
	netan steps -q "$data/xplane/$f.xplane.pb" 2>&1 | head -2
done
if command -v python3 >/dev/null; then
	echo "Perfetto has them, too"
	netan export -q "$data/xplane/tpu_inference_2.xplane.pb" -o x.pftrace
	python3 -B "$NETAN_ROOT/tests/real/pftraces.py" x.pftrace | grep step
fi
