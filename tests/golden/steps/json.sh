netan synth -o t --run r --hosts 3 --devices 1 --steps 2 --ops 10 >/dev/null
netan steps t --format json
