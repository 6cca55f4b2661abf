# The type of a collective is known to every analysis that groups by it, and
# the executions that tell it are not timed along with the network.
netan synth -o d --run r --hosts 3 --steps 4 >/dev/null
for command in latency sizes rpc bursts; do
	echo "== $command"
	netan $command d --by transfer_type --format json -q |
		grep -E '"(transfer_type|used)"'
done
