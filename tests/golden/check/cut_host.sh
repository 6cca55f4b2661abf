# What the file of a host lacks because it is cut off is not laid to the
# profiler, nor to whoever did not give the file.
netan synth -q -o t --run r --hosts 6 --devices 2 --steps 12
f=t/plugins/profile/r/host-2.xplane.pb
truncate -s $(($(stat -c %s $f) / 2)) $f
netan check -q t 2>/dev/null |
	grep -E -A 3 '^info trace-quality|^bad-endpoint' | grep -vE '^(Confidence|hang|tcp|More)'
