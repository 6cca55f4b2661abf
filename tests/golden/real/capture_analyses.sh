# Calls and throughput of real captures as tshark has them: method, status and
# both latencies to the microsecond, the fullest bin to the byte.
# Not sanitized: what is counted; captures reads the same files sanitized.
data=${NETAN_TEST_DATA-}
if [ ! -d "$data/pcap" ]; then
	echo "skip: NETAN_TEST_DATA does not name the folder of real files"
	exit 77
fi

# Of the first and the slowest calls: path, status, latencies in us.
truth()
{
	tr -d '\n' <"$1" | sed 's/.*"first_10": *\[//; s/"streams_without_end".*//' |
		tr '{' '\n' | sed -n 's/.*"h2_stream": *\([0-9]*\), *"path": *"\([^"]*\)", *"status": *"\([0-9]*\)", *"grpc_status": *"*\([a-z0-9]*\)"*,.*_headers_s": *\([0-9.e-]*\), *"latency_to_server_end_stream_s": *\([0-9.e-]*\).*/\1 \2 \3 \4 \5 \6/p' |
		awk '{ printf "%d %s %s %.0f %.0f\n", $1, $2, $4 == "null" ? $3 : $4,
			$5 * 1e6, $6 * 1e6 }' | sort -u
}

ours()
{
	netan rpc -q "$1" --format csv --table calls |
		awk -F, 'NR > 1 { printf "%d %s %s %.0f %.0f\n", $16, $4, $5, $9, $10 }' | sort
}

for f in "$data"/pcap/*grpc* "$data"/pcap/*h2c*; do
	name=${f##*/}
	truth "$data/truth/$name.json" >want
	ours "$f" >got
	echo "$name: $(wc -l <got) calls, $(comm -12 want got | wc -l) of $(wc -l <want) as tshark has them"
done

for f in "$data"/pcap/*; do
	name=${f##*/}
	for bin in 100ms 1s; do
		want=$(tr -d '\n' <"$data/truth/$name.json" |
			sed "s/.*\"peak_bin_bytes\"//; s/.*\"$bin\": *{\"bytes\": *\([0-9]*\).*/\1/")
		got=$(netan timeline -q --bin $bin --format json "$f" | tr -d '\n ' |
			sed 's/.*"bin_s":\([0-9.e+-]*\),.*"rx_peak_gbps":\([0-9.e+-]*\),.*/\1 \2/' |
			awk '{ printf "%.0f", $1 * $2 * 1e9 / 8 }')
		if [ "$got" = "$want" ]; then
			echo "$name: fullest $bin: $got bytes"
		else
			echo "$name: fullest $bin: $got, not $want"
		fi
	done
done
