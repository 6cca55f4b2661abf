# A device that others name and that never executes, or less often.
netan synth -o t --run r --hosts 2 --devices 1 --steps 3 >/dev/null
netan collectives t/plugins/profile/r/host-0.xplane.pb | sed -n 1,5p
netan collectives t --host host-0 --format csv --table networks
netan collectives t --fail-on warning >/dev/null
echo "exit $?"
