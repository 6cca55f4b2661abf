netan synth -o t --run r --hosts 3 --devices 2 --steps 3 --ici 2 >/dev/null
netan collectives t
echo
netan collectives t --by transfer_type
