# Beside a network that loses little a server that costs far more: whose
# connection each cost is of, also where a trace stands beside the capture.
netan synth -q -o c.pcapng --seed 883 --condition loss --condition healthy \
	--size 6MB --connections 9
netan synth -q -o job --hosts 8 --steps 12 --seed 31 --fault slow-sender:1:3
netan check -q c.pcapng | sed -n '1p; /^warning /p; /^Costs/p; /^Evidence.*sent again/p'
netan check -q c.pcapng job | head -1
