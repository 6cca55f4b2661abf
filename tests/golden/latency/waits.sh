# Who keeps receives waiting: a slow path is the network's, a peer that
# computes longer is not.
split()
{
	netan synth -o "$1" --run r --hosts 4 --devices 2 --steps 8 $2 $3 >/dev/null
	netan latency "$1" | sed -n 3p
	netan latency "$1" --format json | tr -d ' \n' |
		sed 's/.*"split":\({"receives"[^}]*}\).*/\1/'
	echo
}
split none
split net --fault slow-receiver:2:20
split host --fault slow-compute:2:4
