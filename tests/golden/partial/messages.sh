# What partial and merge say, and how they refuse.
netan synth -q -o job --hosts 4 --devices 1 --steps 2 --collectives 2
say() { echo "\$ netan $*"; netan "$@" 2>&1; echo "status $?"; }
# Sizes of compressed bytes are zstd's.
sizes() { sed -E 's/, [0-9.]+ ([KM]i)?B/, SIZE/'; }

echo '* as a user would'
for k in 1 2 3; do
	netan partial --shard $k/3 -o p0.$k.nap job
done | sizes
netan merge -o plan.nap p0.*.nap | sizes
seq 3 | xargs -P1 -I{} netan partial --plan plan.nap --shard {}/3 -o p1.{}.nap check job | sizes
netan merge p1.*.nap | head -n 1

echo '* options anywhere, and no command'
netan partial check job --shard 1/3 -o x1.nap | sizes
netan partial --shard=1/3 check -ox2.nap job | sizes
netan partial -o x3.nap --shard 1/3 --top-less job 2>&1
netan partial -j 1 -o x4.nap --shard 1/3 check -q job | sizes
netan partial --round 0 --shard 1/3 -o x5.nap -- job | sizes
cmp p0.1.nap x1.nap
cmp x1.nap x2.nap
netan partial -h | head -n 1
netan partial --shard 1/3 -o x6.nap pairs -h | head -n 1

echo '* wrong'
say partial job
say partial -o x.nap job
say partial --shard 1/3 job
say partial --shard 0/3 -o x.nap job
say partial --shard 4/3 -o x.nap job
say partial --shard 1/0 -o x.nap job
say partial --shard 1/10000000 -o x.nap job
say partial --shard 1 -o x.nap job
say partial --shard 1/3 -o x.nap
say partial --shard 1/3 -o x.nap -
say partial --shard 1/3 -o x.nap chekc job
say partial --shard 1/3 -o x.nap tcp job
say partial --shard 1/3 -o x.nap check --capacity job
say partial --shard 1/3 -o no/x.nap job
say partial --shard 1/3 -o - job
say partial --shard 1/3 -o x.nap --round 1 job
say partial --shard 1/3 -o x.nap --round 0 --plan plan.nap job
say partial --shard 1/3 -o x.nap --plan nothing.nap job
say partial --shard 1/3 -o x.nap --plan p0.1.nap job
say partial --shard 1/4 -o x.nap --plan plan.nap job
say partial --shard 1/3 -o x.nap --plan plan.nap pairs job
say merge
say merge -o plan.nap p0.1.nap p0.3.nap
say merge p1.2.nap
say merge p1.*.nap p1.2.nap
say merge p1.1.nap p1.2.nap p0.3.nap
say merge p1.*.nap plan.nap
say merge p0.*.nap
say merge -o - p0.*.nap
say merge -o plan.nap --title x p0.*.nap
say merge --theme dark p1.*.nap
say merge -o x.gif p1.*.nap
say merge p1.1.nap p1.2.nap job
netan partial -q --shard 3/3 -o other.nap pairs job
say merge -o x.nap p0.1.nap p0.2.nap other.nap
netan partial -q --shard 3/4 -o four.nap job
say merge -o x.nap p0.1.nap p0.2.nap four.nap

echo '* another plan, and inputs that changed since'
mv job was
netan synth -q -o job --hosts 4 --devices 1 --steps 3 --collectives 2
say partial --shard 2/3 -o x.nap --plan plan.nap job
for k in 1 2 3; do netan partial -q --shard $k/3 -o o0.$k.nap job; done
netan merge -q -o oplan.nap o0.*.nap
netan partial -q --shard 3/3 --plan oplan.nap -o o1.3.nap job
say merge p1.1.nap p1.2.nap o1.3.nap
rm -r job

echo '* traces that are not here any more'
mv was job
for k in 1 2; do netan partial -q --shard $k/2 -o s0.$k.nap slack job; done
netan merge -q -o splan.nap s0.*.nap
for k in 1 2; do netan partial -q --shard $k/2 --plan splan.nap -o s1.$k.nap slack job; done
mv job was
netan merge s1.*.nap 2>&1 | grep -e warning -e '^late'
mv was job

echo '* what is read in one place'
netan synth -q -o job.pcap
say partial --shard 1/1 -o x.nap check job.pcap

echo '* damage'
n=$(wc -c <p1.2.nap)
head -c $((n - 1)) p1.2.nap >cut.nap
netan merge p1.1.nap cut.nap p1.3.nap 2>&1 | sed 's/byte [0-9]*/byte N/'
head -c 20 p1.2.nap >cut.nap
say merge p1.1.nap cut.nap p1.3.nap
: >cut.nap
say merge p1.1.nap cut.nap p1.3.nap
# BYTE HEX: another one there.
patch()
{
	cp p1.2.nap bad.nap
	printf "\\x$2" | dd of=bad.nap bs=1 seek="$1" conv=notrunc 2>/dev/null
	netan merge -q -o bad.json p1.1.nap bad.nap p1.3.nap 2>&1 |
		sed -E 's/byte [0-9]{3,}/byte N/'
}
patch $((n / 2)) aa
patch 5 41
patch 30 41
ls
