# Of two hosts one way has hardly a transfer: neither is compared with the other,
# nor in columns.
netan synth -q -o job --hosts 2 --devices 1 --steps 6 --fault slow-sender:1:3
netan pairs -q job --max-size 64KiB | sed -n '3,/^$/p'
netan pairs -q job | sed -n '3,4p'
# Where each of many pairs has as few, the picture mutes them, and says so.
netan synth -q -o fleet --profile fleet --hosts 16 --steps 3
netan pairs -q fleet -o p.svg
grep -o 'Squares: [^<]*' p.svg
