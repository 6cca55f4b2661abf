cd "$NETAN_ROOT" || exit
netan tcp tests/data/tcp.pcap --top 2 --format json
