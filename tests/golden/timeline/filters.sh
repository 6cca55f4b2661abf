netan synth -o t --run r --hosts 2 --devices 2 --steps 3 >/dev/null
used()
{
	netan timeline t "$@" --format json | tr -d '\n' |
		sed 's/.*"used": \([0-9]*\),.*"left_out": {\([^}]*\)}.*/\1 used, left out: \2/'
	echo " ($*)"
}
used
used --host host-1
used --src s0d0
used --src 's1*'
used --src host-0 --dst s1d1
used --collective 'all-reduce*' --side rx
used --step 1-2
used --from 20ms --to 40ms
used --from 2026-01-05T10:00:00.02Z
used --min-size 1MiB
used --max-size 64KiB
used --max-rate 1Gbps
