# Steps are read where a filter or a group asks for them, and each transfer
# that is left out is so for one reason, censored ones of pairs too.
netan synth -o d --run r --hosts 3 --steps 6 --fault clock:1:3ms \
	--fault loopback:0:5 --fault no-latency:2:4 >/dev/null
coverage()
{
	echo "== $*"
	netan "$@" d --format json -q |
		sed -n '/"used"/p; /"left_out"/,/}/p'
}
coverage rpc
coverage rpc --step 2-3
coverage pairs --step 2-3
coverage pairs --host host-0
coverage pairs --max-rate 4Gbps
coverage latency --max-rate 4Gbps
netan rpc --by step d --format json -q | grep -c '"key": { "step": "[0-5]" }'
