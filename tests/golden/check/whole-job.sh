# All that was recorded of one run is one question: logs are matched to the
# ranks that traces tell, and of one rank's dump as pickle and as JSON one is
# used.
for fault in late-rank:r5:5ms stuck-host:r3; do
	netan synth -q --profile pytorch --hosts 2 --devices 4 --steps 8 \
		--fault $fault --evidence kineto --evidence inspector \
		--evidence recorder --evidence recorder-json -o job
	netan check job | sed -n 1,16p
	netan collectives job/kineto -o a.csv -q
	netan collectives job -o b.csv -q
	[ $fault = stuck-host:r3 ] || cmp a.csv b.csv
	netan info job --format json | grep inputs_left_out
	# What nobody knows is left out, and no error of the run.
	mkdir logs && cp job/inspector/host-0-pid4000.log logs
	sed 's/host-1/elsewhere/' job/inspector/host-1-pid4004.log > logs/x-pid4004.log
	netan collectives job/kineto logs | head -n 1
	# Another run's stays one.
	netan synth -q --profile pytorch --hosts 2 --devices 4 --steps 8 \
		--repeat 1 --evidence recorder -o other
	netan info job/recorder-json other | head -n 1
	rm -r job other logs
done
