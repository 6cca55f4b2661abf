# Hosts and paths are numbered; what the analyses say stays.
netan synth -o secret-dir --run r --hosts 2 --steps 1 --devices 1 --ops 1 \
	>/dev/null
mv secret-dir/plugins/profile/r/host-1.xplane.pb \
	secret-dir/plugins/profile/r/secret-host.xplane.pb
netan ingest --anonymize -o t.netan secret-dir >/dev/null
grep -c -a secret t.netan
netan info t.netan --format csv | cut -d, -f1-5
netan ingest -o named.netan secret-dir >/dev/null
grep -c -a secret named.netan
