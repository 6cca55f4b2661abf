# Kernels of ranks belong to the host where these run, however many files it has.
netan synth -q -o job --profile pytorch --hosts 2 --devices 2 --steps 3
netan latency -q job --component kernel --by host --format csv | cut -d, -f1-2
printf 'r0,a\nr1,b\nr2,a\nr3,c\n' >hosts.csv
netan latency -q job --component kernel --by host --hosts hosts.csv \
	--format csv | cut -d, -f1-2
