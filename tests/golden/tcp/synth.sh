# Each condition that netan synth plants is the verdict; times are its truth's.
# Silence counts from the last packet either way, so a round trip less.
netan synth -o a.pcap --snaplen 96 --roce 0 --rpcs 20 --connections 18 \
	--size 3MB >/dev/null
netan tcp a.pcap --format csv -q >got.csv
tr -d ' \n' <a.pcap.truth.json |
	grep -oE '"client":"[^"]*","server":"[^"]*","condition":"[^"]*","data_from":"[^"]*","first_ns":[0-9]*,"last_ns":[0-9]*,"rtt_ns":[0-9]*,"near_rtt_ns":[0-9]*,"timeouts":[0-9]*,"longest_timeout_ns":[0-9]*,"zero_window_ns":[0-9]*' |
	sed 's/"[a-z_]*"://g; s/"//g' >truth
awk -F , 'NR == FNR {
		for (i = 1; FNR == 1 && i <= NF; i++)
			at[$i] = i
		verdict[$1] = $at["verdict"]
		timeouts[$1] = $at["timeouts"]
		longest[$1] = $at["longest_timeout_ms"]
		closed[$1] = $at["fwd.zero_window_ms"] + $at["rev.zero_window_ms"]
		next
	}
	function off(a, b) { return a - b > 2 || b - a > 2 }
	$3 == "calls" { next }
	{
		said[$3 " is told as " verdict[$1]]++
		if (timeouts[$1] != $9)
			print $1, $3 ": timeouts", timeouts[$1], "not", $9
		if (off(longest[$1], $10 / 1e6))
			print $1, $3 ": longest timeout", longest[$1], "not", $10 / 1e6
		if (off(closed[$1], $11 / 1e6))
			print $1, $3 ": closed for", closed[$1], "not", $11 / 1e6
	}
	END { for (s in said) print s, said[s] }' got.csv truth | sort
