# Which checks, how strict, and what cannot be asked.
netan synth -q -o job --run r --hosts 4 --steps 10 --fault small-slack:all-reduce.40_1
say() { sed -n -E '1p; s/^(error|warning|info) ([a-z-]+): .*/\1 \2/p; /^passed$/,/^$/p'; }
echo '== only'
netan check job --only slack-small --only straggler | say
echo '== skip'
netan check job --skip slack-small --skip bursty | say
echo '== both'
netan check job --only slack-small --skip slack-small | say
echo '== what the input does not tell'
netan check job --only tcp-connection | sed -n 1,4p
netan check job --only trace-quality | say
for level in info warning error; do
	netan check job --fail-on $level >/dev/null
	echo "--fail-on $level: $?"
done
netan check job --skip slack-small --skip bursty --fail-on info >/dev/null
echo "nothing found: $?"
echo '== thresholds'
netan check job --only slack-small --slack-stall 0.9 --stall-share 0.9 | say
netan check job --only slack-small --slack-stall 0.9 --stall-share 0.1 | say
netan check job --only bandwidth-bound --capacity 1Gbps --saturated-share 0.9 | say
netan check job --only small-transfers --small-count 0.1 --small-time 0 | say
netan check job --only rpc-latency --tail-ratio 1.5 | say
netan check job --only bursty --burst-idc 1 --burst-peak 1 | say
echo '== the same for any number of threads'
netan check job -j 1 --format json | cksum >one
netan check job -j 7 --format json | cksum | cmp - one && echo same
exec 2>&1
wrong() { netan check "$@"; echo "exit $?"; }
echo '== wrong'
wrong
wrong job --only slack
wrong job --skip strangler
wrong job --only xxxxxxxx
wrong job --saturated-share 2
wrong job --capacity fast
wrong --label a job --label b job
wrong job -o x.svg
echo '== nothing to check'
: >empty
wrong empty
wrong job --host nobody
wrong job --to 1us
printf 'text' >text
wrong text
wrong nowhere
