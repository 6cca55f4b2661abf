# What the steps of each host were spent on, to the picosecond, and who was
# late and why.
. "$NETAN_ROOT/tests/golden/planted/common"
n=0
try()
{
	n=$((n + 1))
	echo "$*"
	job j$n --devices 1 "$@"
	steps j$n
	netan steps j$n | sed -n 3p
}
try
try --fault late-input:host-1:5ms --steps 8
try --fault slow-compute:host-2:1.5 --steps 8
try --fault stall:all-reduce.26_2:9ms
try --fault slow-sender:host-0:12 --steps 8
try --fault clock:host-1:7ms
try --ici 2
try --profile gpu
try --profile gpu --fault slow-compute:host-1:1.4 --steps 8
try --without hlo
try --without long-names
