# Traces that do not tell their ranks: each is a process, with the steps of the
# device that it ran on, and who comes last is seen in its own time.
for fault in clock:host-1:4ms late-rank:r5:5ms; do
	netan synth -q --profile pytorch --hosts 2 --devices 4 --steps 8 \
		--fault $fault --without distributed-info -o job
	netan steps job | head -n 12
	netan steps job | tail -n 3
	netan check job | head -n 4
	rm -r job
done
