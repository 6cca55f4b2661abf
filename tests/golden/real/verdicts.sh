# The first line of check on each real capture.
data=${NETAN_TEST_DATA-}
if [ ! -d "$data/pcap" ]; then
	echo "skip: NETAN_TEST_DATA does not name the folder of real files"
	exit 77
fi
for f in "$data"/pcap/*; do
	echo "${f##*/}"
	netan check -q "$f" 2>/dev/null | sed -n '1s/^/  /p'
done
