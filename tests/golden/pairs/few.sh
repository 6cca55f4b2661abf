# Of two hosts one way has hardly a transfer: neither is compared with the other,
# nor in columns.
netan synth -q -o job --hosts 2 --devices 1 --steps 6 --fault slow-sender:1:3
netan pairs -q job --max-size 64KiB | sed -n '3,/^$/p'
netan pairs -q job | sed -n '3,4p'
