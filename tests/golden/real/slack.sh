# Real device planes without an op over the data-center network: that is
# said, with what is there.
data=${NETAN_TEST_DATA-}
if [ ! -d "$data/xplane" ]; then
	echo "skip: NETAN_TEST_DATA does not name the folder of real files"
	exit 77
fi
for f in tpu_inference_2 gpu_mi300_8dev_conv \
	gpu_mi355_te_fused_attn_megascale_plane_empty; do
	netan slack -q "$data/xplane/$f.xplane.pb" 2>&1 >out.$$ | sed -n 1,2p; rm out.$$
done
