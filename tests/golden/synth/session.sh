# A small session: what it prints, and bytes that must not depend on the
# compiler or the machine.
netan synth -o out --run r --hosts 2 --devices 1 --steps 2 --seed 5 \
	--generation both --fault slow-sender:host-1:3 --fault clock:0:1ms
cat out/plugins/profile/r/*.pb out/truth.json | cksum
