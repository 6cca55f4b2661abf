# Files for measurements, packed and plain, hold the events asked for.
netan synth -o a --run r --profile typical --events 4000
# The packed size is the library's business.
netan synth -o b --run r --profile network --events 999 --compress gzip \
	>/dev/null
gzip -dc b/plugins/profile/r/host-0.xplane.pb.gz |
	cat a/plugins/profile/r/host-0.xplane.pb - | cksum
grep -o '"totals": {"file_bytes": [0-9]*, "events": [0-9]*' a/truth.json
