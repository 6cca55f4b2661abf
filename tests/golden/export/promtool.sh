# What Prometheus' own checker says of our metrics: of the two whose names are
# NCCL Inspector's it would rather have seconds.
command -v promtool >/dev/null ||
	{ echo "skip: promtool is not installed (package prometheus)"; exit 77; }
netan synth -q -o tpu --hosts 3 --devices 2 --steps 4 --fault slow-sender:1:4
netan synth -q -o gpu --profile pytorch --hosts 2 --devices 2 --steps 3
for f in tpu gpu/kineto; do
	for c in timeline collectives check export; do
		netan $c -q $f -o x.prom >/dev/null || echo "$c $f: $?"
		promtool check metrics <x.prom 2>said || [ $? = 3 ] ||
			echo "promtool: it cannot read it"
		grep -v '^nccl_[a-z0-9]*_exec_time_microseconds use base' said || :
	done
done
