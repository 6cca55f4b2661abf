# Commands to paste are never broken, however narrow the terminal is.
. "$NETAN_ROOT/tests/golden/sysctl/host.inc"
host h
put h/sys/class/net/eth1/mtu 1500
printf 'default via 10.0.0.1 dev eth0 proto static\n' >h/routes.txt
netan synth -q -o t --hosts 2 --steps 2
export COLUMNS=40
netan sysctl --root h | sed -n '/^to mend it/,$p'
netan check t --host-settings h | grep '^Do: on .*ip '
