# Waiting for later devices and transfers, told apart between GPUs.
try()
{
	rm -rf t
	netan synth -o t --run r --profile gpu --hosts 4 --devices 2 --steps 20 "$@" >/dev/null
	netan steps t --top 4 | sed -n 1,12p
}
try --fault slow-compute:2:1.4
try
netan steps t --format tsv --table hosts | awk -F'\t' '
	NR == 1 { for (i = 1; i <= NF; i++) col[$i] = i; next }
	{ bad += $col["waiting_ms"] < 0 || $col["waiting_ms"] > $col["exposed_gpu_ms"] }
	END { print "waiting beyond exposed:", bad + 0 }'
