netan synth -o t --run r --hosts 2 --devices 2 --steps 3 \
	--fault loopback:0:5 --fault no-latency:0:3 --fault clock:1:2ms >/dev/null
used()
{
	netan latency t "$@" --format json | tr -d ' \n' |
		sed 's/.*"used":\([0-9]*\),.*"left_out":{\([^}]*\)}.*"count":\([0-9]*\),"min.*/\1 used, \3 timed, left out: \2/'
	echo " ($*)"
}
used
used --host host-1
used --src s0d0
used --src 's1*'
used --collective 'all-reduce*'
used --step 1-2
used --from 20ms --to 40ms
used --min-size 1MiB
used --max-size 64KiB
used --max-rate 1Gbps
used --include-loopback
used --side tx
