# Two hosts: per host and in total; slices over all hosts.
netan synth -o t --run r --hosts 2 --devices 2 --steps 1 --ops 1 >/dev/null
netan info t --format csv
netan info t --format csv --table totals
