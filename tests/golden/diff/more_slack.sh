# What computes longer has more to hide behind: that is not "in part better".
netan synth -q -o a --run r --hosts 8 --steps 16 --seed 5
netan synth -q -o b --run r --hosts 8 --steps 16 --seed 5 \
	--fault slow-sender:1:3 --fault slow-compute:6:1.4
netan diff -q --label A a --label B b | sed -n '/Accused/p; /^slack.p99/p'
