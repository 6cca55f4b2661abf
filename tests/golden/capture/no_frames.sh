# Calls without their packets: no host is said to be saturated.
netan synth -q -o "$TMPDIR/s.pcap"
netan ingest -q --no-frames -o "$TMPDIR/s.netan" "$TMPDIR/s.pcap"
netan timeline --capacity 1Mbps "$TMPDIR/s.netan" | grep -e '^Receive' -e 'packets:' -A 1 -e '^saturated'
rm "$TMPDIR/s.pcap" "$TMPDIR/s.pcap.truth.json" "$TMPDIR/s.netan"
