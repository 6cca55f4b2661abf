# Who is accused where another host's file is cut off: the first line says so.
netan synth -q -o j --run r --hosts 8 --steps 16 --seed 3 --fault slow-sender:3:3
truncate -s -100 j/plugins/profile/r/host-6.xplane.pb
netan check -q j 2>&1 | sed -n 1p
