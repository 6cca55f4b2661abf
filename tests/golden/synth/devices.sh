# Devices with collectives inside the slice, another program on one host,
# dumps; and what the truth says of them.
netan synth -o out --run r --hosts 2 --devices 4 --steps 2 --collectives 2 \
	--ici 3 --fault program:1 --fault late-input:1:2ms --fault \
	stall:all-gather.12_0:1ms --hlo-dump dump
cat out/plugins/profile/r/*.pb dump/*/* | cksum
sed -n '/"collectives"/,$p' out/truth.json | cut -c1-150
grep -o '"reshaped".*"inserted": "[^"]*"' out/truth.json
grep all- dump/host-1/*.txt | grep -v 'xla_host\|after-all' | cut -c1-150
