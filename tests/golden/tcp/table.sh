cd "$NETAN_ROOT" || exit
# Worst first, with what it stands on and what to do.
netan tcp tests/data/tcp.pcap
netan tcp tests/data/tcp.pcap --top 1 --format md
netan tcp tests/data/tcp.pcap --format csv | cut -d , -f 1-11
