# Clocks of hosts that the ends of collectives tell: corrected, and said.
netan synth -q --profile pytorch --hosts 2 --devices 2 --steps 12 \
	--fault clock:host-1:4ms -o job
netan check job/kineto | grep corrected
sed -n '/"hosts"/,/\]/p' job/truth.json
# A job on CPUs: no device to trace, and no GPUs.
cd "$NETAN_ROOT" || exit
netan check tests/data/gloo/kineto | sed -n '/^passed/,/^$/p'
netan collectives tests/data/gloo/kineto | sed -n 3p
