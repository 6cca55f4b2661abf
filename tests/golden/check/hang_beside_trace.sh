# A job that stands still comes first, also beside a trace that acquits the
# network; who made steps wait there is in the line, too.
netan synth -q -o t --hosts 6 --devices 2 --steps 30 --fault late-input:host-4:9ms
netan synth -q -o j --profile pytorch --hosts 4 --devices 1 --fault stuck-host:3
netan check -q t j/recorder | sed -n 1p
