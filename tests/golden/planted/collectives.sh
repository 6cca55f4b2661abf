# Every collective's executions and bytes, over the network and inside a slice.
. "$NETAN_ROOT/tests/golden/planted/common"
n=0
try()
{
	n=$((n + 1))
	printf '%s: ' "$*"
	job j$n --devices 2 "$@"
	netan collectives -q j$n --format csv |
		awk -F, -f "$here/collectives.awk" j$n/truth.json -
}
try
try --devices 4 --ici 3
try --pattern ring
try --generation both
try --collectives 11 --fault slow-sender:host-0:12
try --without hlo --ici 2
