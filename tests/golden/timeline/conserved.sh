# Bytes are conserved whatever the bins; a window cuts in proportion.
netan synth -o t --run r --hosts 2 --devices 2 --steps 3 >/dev/null
sums()
{
	netan timeline t "$@" --format json >out.json
	awk -v o="$*" '
	/"bin_s"/ { gsub(/[^0-9.e-]/, ""); bin = $0 }
	/"(rx|tx)_gbps": \[/ { on = 1; side = $1; s = 0; sub(/.*\[/, "") }
	on { line = $0; done = sub(/\].*/, "", line); n = split(line, v, ",")
		for (i = 1; i <= n; i++) s += v[i]
		if (done) { got[side] = s; on = 0 } }
	/"rx_bytes"/ { gsub(/[^0-9.]/, ""); rx = $0 }
	/"tx_bytes"/ { gsub(/[^0-9.]/, ""); tx = $0 }
	END { a = got["\"rx_gbps\":"] * bin * 1e9 / 8 / rx - 1
		b = got["\"tx_gbps\":"] * bin * 1e9 / 8 / tx - 1
		ok = a < 1e-9 && a > -1e-9 && b < 1e-9 && b > -1e-9
		print (ok ? "conserved" : "LOST " a " " b), o }' out.json
}
sums
sums --bin 1us
sums --bin 777ns --from 30ms --to 41ms
sums --bin 1s
sums --from 30.0000001ms --to 60ms
sums --step 1
sums --min-size 64KiB --max-rate 20Gbps
