# Traces of one job that all lack HLO modules are one warning, not one each;
# the JSON of those that have some keeps it at its input.
netan synth -o bare --hosts 4 --devices 1 --steps 2 --without hlo -q
netan hlo bare
echo "exit $?"
netan synth -o with --hosts 2 --devices 1 --steps 2 -q
netan hlo with bare/plugins/profile/*/host-[23]* --format json 2>&1 |
	grep 'without HLO'
