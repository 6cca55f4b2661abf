# Steps that run into one burst, as a clock is off.
for ahead in 50ms -50ms; do
	netan synth -q --hosts 4 --steps 10 --fault clock:host-2:$ahead -o clk$ahead
	netan bursts clk$ahead | grep -e '^bursts' -e 'clock'
	netan bursts clk$ahead --by host | grep 'clock of'
	netan bursts clk$ahead --format json | grep -e clock_skew
done
true
