# What is no log of a hang.
netan hang
echo "status $?"
netan hang missing
echo "status $?"
: >empty
netan hang empty
echo "status $?"
mkdir dir
netan hang dir
echo "status $?"
printf 'step 1\nno hang detected\nlast' >calm
netan hang calm
echo "status $?"
netan hang calm --format json --fail-on info | sed -n '/"result"/,$p'
netan hang calm missing
echo "status $?"
netan hang calm missing --strict
echo "status $?"
netan hang - <calm
cat >alike <<END
TPU stats: duty cycle 93 %
Potential cause: the disk is full
  /dev/sda: 0
watchdog detects a hang of thread 5
Module: a
The hosts are up
END
netan hang alike
head -c 3000 /dev/zero >zeros
netan hang zeros
echo "status $?"
{ cat zeros; echo HANG_DETECTED; } >hole
netan hang hole | head -1
printf '\033[31merror\033[0m\tdisk\r\n' >colours
netan hang zeros colours
echo "status $?"
cp zeros dir/shard
netan hang dir
echo "status $?"
cp colours dir
netan hang dir
echo "status $?"
gzip -n <calm | head -c 25 >cut.gz
netan hang cut.gz
echo "status $?"
netan hang calm --ledger /does/not/exist
echo "status $?"
netan hang calm --ledger dir
echo "status $?"
netan hang calm --ledger x --anonymize
echo "status $?"
printf 'HANG_DETECTED\n' >bare
netan hang bare
printf 'Megascale hang detected: Timed out waiting for 99999999999999999999 graphs to complete at launch_id -4. Timeout: 99999999999999h\n' >numbers
netan hang numbers | head -4
echo "-- a ledger that is another file is left alone"
echo 'hello' >notes.txt
echo 'HANG_DETECTED' >one.log
netan hang one.log --ledger notes.txt >/dev/null
echo "exit $?"
cat notes.txt
echo "-- a transfer file: what it takes, and what to ask of this one"
netan synth -q --profile pytorch --hosts 2 --devices 4 --steps 2 --seed 3 \
	--fault stuck-host:5 --evidence recorder -o job
netan ingest -q job/recorder -o job.netan
netan hang job.netan
echo "exit $?"
netan check job.netan >/dev/null
echo "exit $?"
