# The time of an old message: decided from the data, or as told.
cd "$NETAN_ROOT" || exit
for anchor in auto end start; do
	netan timeline tests/data/message.xplane.pb --bin 10ms \
		--anchor $anchor --format json |
		grep -E '"(anchor|duration_s|time_s|rx_gbps|rx_bytes)"'
done
cd - >/dev/null
netan synth -o t --run r --hosts 2 --devices 1 --steps 1 --generation message \
	--message-spans >/dev/null
netan timeline t --format json | grep '"anchor"'
netan timeline t | tail -n 1
