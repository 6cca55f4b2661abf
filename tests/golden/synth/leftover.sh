# A file of another run must not pass for a host of this one.
netan synth -o out --run r --hosts 3 --devices 1 --steps 1 --ops 1 >/dev/null
netan synth -o out --run r --hosts 2 --devices 1 --steps 1 --ops 1
