# GPUs of one host that are all slow share being last: the host is named, with
# its ranks.  Of ranks that are late together each costs what is gained while
# the others stay late.  Where most are slow, nobody is named or acquitted.
# Not sanitized: what is concluded; the same commands read sanitized elsewhere.
ask()
{
	name=$1
	shift
	netan synth -q -o "$name" --profile pytorch "$@"
	echo "$name"
	netan check -q "$name/kineto" >said
	sed -n '1s/; network: cannot tell.*//p' said
	sed -n '/^[a-z]* straggler:/,/^$/p' said | sed "s|$name/kineto|DIR|"
	grep -o '^straggler: .*' said
	netan steps -q "$name/kineto" --table stragglers --format csv
	echo
}
ask slow --hosts 4 --devices 4 --fault slow-compute:1:4
ask late --hosts 4 --devices 4 --fault late-rank:4:5ms --fault late-rank:5:5ms \
	--fault late-rank:6:5ms --fault late-rank:7:5ms
ask slightly --hosts 2 --devices 8 --fault slow-compute:1:1.05
ask two --hosts 4 --devices 4 --fault late-rank:5:5ms --fault late-rank:9:5ms
ask hosts --hosts 4 --devices 2 --fault slow-compute:1:1.3 \
	--fault slow-compute:2:1.3
ask most --hosts 4 --devices 2 --fault slow-compute:1:1.3 \
	--fault slow-compute:2:1.3 --fault slow-compute:3:1.3
ask healthy --hosts 4 --devices 4
