# Two NICs are slow: each has its cost, and neither only waits for the other.
# Not sanitized: what is concluded; the same commands read sanitized elsewhere.
netan synth -q -o job --hosts 8 --devices 2 --steps 12 --seed 32 \
	--fault slow-sender:1:3 --fault slow-receiver:6:3
netan check -q job | grep -e '^suspect' -e '^possible' -e 'only wait'
rm -r job
# Of two hosts a straggler may make one way slow: then that is in doubt here, too.
netan synth -q -o job --hosts 2 --steps 16 --fault slow-compute:1:1.5 \
	--fault slow-path:0:1:4
netan check -q job | sed -n 1p
