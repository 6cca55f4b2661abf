# What Prometheus' own checker says of our metrics.
command -v promtool >/dev/null ||
	{ echo "skip: promtool is not installed (package prometheus)"; exit 77; }
netan synth -q -o tpu --hosts 3 --devices 2 --steps 4 --fault slow-sender:1:4
netan synth -q -o gpu --profile pytorch --hosts 2 --devices 2 --steps 3
for f in tpu gpu/kineto; do
	for c in timeline collectives check export; do
		netan $c -q $f -o x.prom >/dev/null || echo "$c $f: $?"
		promtool check metrics <x.prom || echo "promtool: $?"
	done
done
