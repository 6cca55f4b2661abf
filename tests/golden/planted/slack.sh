# What collectives cost the devices of each host, to the picosecond, whatever
# was planted; and the planted ones are the ones that are named.
. "$NETAN_ROOT/tests/golden/planted/common"
n=0
try()
{
	n=$((n + 1))
	printf '%s: ' "$*"
	job j$n --devices 2 "$@"
	slack j$n
}
try
try --fault stall:all-reduce.26_2:9ms
netan slack j2 | sed -n 3p
try --fault small-slack:all-reduce.19_1
netan slack j3 --format csv | awk -F, '$NF == "true" { print $1 " is small" }'
try --fault late-input:host-1:5ms
try --fault slow-compute:host-2:1.5
try --fault slow-sender:host-0:6
try --fault clock:host-1:7ms
try --fault program:host-2
try --pattern ring --ici 2
try --generation both
