# The first line of check on each real capture, and what its late transfers are
# told to wait for.
data=${NETAN_TEST_DATA-}
if [ ! -d "$data/pcap" ]; then
	echo "skip: NETAN_TEST_DATA does not name the folder of real files"
	exit 77
fi
for f in "$data"/pcap/*; do
	echo "${f##*/}"
	netan check -q "$f" 2>/dev/null |
		sed -n '1s/^/  /p; / rpc-latency: /,/^$/{ /^Evidence\|^Do/s/^/    /p; }'
done
