# Which steps a host made late, and why; "the network" where nobody else is to
# blame.
. "$NETAN_ROOT/tests/golden/planted/common"
n=0
try()
{
	n=$((n + 1))
	printf '%s: ' "$*"
	job j$n --devices 2 --hosts 4 --steps 12 "$@"
	netan steps -q j$n --format csv --table steps |
		awk -F, -f "$here/late.awk" j$n/truth.json -
	netan steps j$n | sed -n '3s/^/  /p'
}
try
try --fault late-input:host-1:5ms
try --fault late-input:host-1:5ms:0.4
try --fault late-input:host-3:12ms:0.2 --fault clock:host-3:-30ms
try --fault slow-compute:host-2:1.3
try --fault slow-compute:host-0:1.1 --without hlo
try --fault slow-sender:host-0:12
try --fault slow-receiver:host-3:12
try --fault stall:all-reduce.26_2:40ms
