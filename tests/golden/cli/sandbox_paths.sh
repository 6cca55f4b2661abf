# Whatever leads to an input or an output: inside of the sandbox it is there.
ok()
{
	"$@" >said 2>&1 </dev/null || { echo "$* failed:"; cat said; }
}
netan synth -q -o far/job --hosts 2 --steps 3
netan synth -q -o far/gpu --profile pytorch --devices 2 --steps 3
netan synth -q -o far/c.pcap --condition loss
at=$(echo far/job/plugins/profile/*)
mkdir near near/run near/deep near/outs near/cut away
# Inputs that are links, directories full of them, and links to directories.
ln -s "../$at/host-0.xplane.pb" near/one.xplane.pb
ln -s ../far/job near/job
ln -s "$PWD/$at/host-0.xplane.pb" "$PWD/$at/host-1.xplane.pb" near/run
ln -s ../run near/deep/a
ln -s ../deep near/deep/round
ln -s ../../.. near/deep/up
ln -s one.xplane.pb near/two.xplane.pb
ok netan info near/one.xplane.pb
ok netan info near/two.xplane.pb
ok netan check near/job
ok netan info near/run
ok netan timeline near/run
ok netan hlo near/job
ok netan diff --label a near/job --label b near/run
mkdir logs logs/x
printf '2026-10-01T03:09:06Z HANG_DETECTED\n' >away/log
ln -s ../../away logs/x/host
ok netan hang logs
ok netan synth -q -o hung --profile pytorch --devices 2 --fault stuck-host:1
printf '1,b\n' >away/ranks
ln -s away/ranks ranks
ok netan hang hung --hosts ranks
mkdir tb tb/plugins away/profile
ln -s "../../$at" away/profile/2026_01_05_10_00_00
ln -s ../../away/profile tb/plugins/profile
ok netan info tb
# What options name.
printf 'host-0,r1\nhost-1,r2\n' >away/racks
printf '10.1.0.4,host-0\n' >away/hosts
ln -s away/racks racks
ok netan pairs near/job --topology racks
ok netan latency far/c.pcap --hosts away/hosts
ok netan pairs near/job --ledger away/ledger.jsonl
ok netan pairs near/run --ledger away/ledger.jsonl
ln -s away/ledger.jsonl ledger
ok netan pairs near/job --ledger ledger
port=http
[ -r /etc/services ] || port=80
ok netan tcp far/c.pcap --filter "host localhost or tcp port $port or tcp"
# A ledger that a link leads to, and that is not there yet.
ln -s ../away/first.jsonl near/link
ln -s near/link chain
ok netan pairs near/job --ledger chain
[ -s away/first.jsonl ] && [ -L near/link ] || echo "no ledger"
ln -s nowhere/x lost
netan pairs near/job --ledger lost 2>&1 >/dev/null | grep ledger
# Descriptors and pipes.
ok sh -c 'netan info - <near/one.xplane.pb'
ok sh -c 'netan info /dev/stdin <near/one.xplane.pb'
ok sh -c 'netan info /dev/fd/7 7<near/one.xplane.pb'
ok sh -c 'cat far/c.pcap | netan tcp /dev/stdin'
ok sh -c 'cat far/c.pcap | gzip | netan tcp -'
ok sh -c 'cat near/one.xplane.pb | netan hlo -'
mkfifo pipe
cat pipe >piped &
ok netan sizes near/job -o pipe --format json
wait
[ -s piped ] || echo "nothing through the pipe"
ok netan sizes near/job -o /dev/null --format json
ok netan sizes near/job -o /dev/stdout --format json
ok sh -c 'netan sizes near/job -o /dev/fd/8 --format json 8>eight'
[ -s eight ] || echo "nothing in /dev/fd/8"
# Outputs: new, there already, by a link, elsewhere, and folders that are not
# there yet.
: >away/old.json
ln -s ../away/old.json near/old.json
ln -s nowhere.json near/new.json
ok netan sizes near/job -o x.json -o away/x.md -o "$PWD/away/x.csv" -o near/old.json -o near/new.json
[ -s away/old.json ] && [ -L near/old.json ] || echo "the link is gone"
ok netan sizes near/job -o ./x.json -o x.json
ok netan timeline near/job -o x.png -o x.svg -o x.pdf
ok netan report near/job -o page
ok netan report near/job -o page
ok netan report near/job -o page/ -o r.html
ok netan ingest near/job -o made/
ok netan ingest near/job -o made/
ok netan ingest near/run -o made.netan
ok netan ingest far/gpu/kineto -o near/outs
ok netan slice near/job --step 1 -o sliced/
ok netan slice near/job --step 1 -o sliced/
ok netan slice near/one.xplane.pb --step 1 -o sliced.xplane.pb.gz
ok netan slice made --step 1 -o near/cut
ok netan info made
ok netan synth -o new/er/job --hosts 2 --hlo-dump new/er/hlo
ok netan check new/er/job --hlo new/er/hlo
ok netan sysctl --snapshot snaps/here
ok netan sysctl --root snaps/here --snapshot snaps/more/again
ok netan sysctl --root snaps/here --nic-before snaps/more/again
ln -s snaps/here snap
ok netan check near/job --host-settings snaps --host-settings snap
ok netan partial --shard 1/1 -o away/p0.nap pairs near/job
ok netan merge -o away/plan.nap away/p0.nap
ok netan partial --plan away/plan.nap --shard 1/1 -o away/p1.nap pairs near/job
ok netan merge away/p1.nap -o away/merged.json
ok netan xla-metrics --help
ok env TMPDIR="$PWD/away" netan info far/c.pcap --memory 32MB
find . -name '*.tmp'
echo "all of them"
