# Bursts of a job come with its steps; a window, a side, a host or another
# gap change what is counted, not how.
netan synth -o t --run r --hosts 4 --devices 2 --steps 12 >/dev/null
show()
{
	netan bursts t "$@" --format json | tr -d '\n' | sed -E \
		's/.*"pending": (\{[^}]*\}).*"burstiness": ([^,]*),.*"bursts_total": ([0-9]*).*"burst_period_ms": ([^,]*),.*"step_period_ms": ([^,]*),.*"verdict": ("[a-z_]*"), *"hosts.*/\1 \2, \3 bursts, period \4, step \5, \6/; s/  */ /g'
	echo " ($*)"
}
show
show --gap 1ms
show --side tx
show --host host-1
show --from 100ms --to 300ms
show --step 3-4
show --collective 'all-reduce*'
show --min-size 1MiB
