# --cache: the same bytes from transfer files as from the traces, however these
# came to be there.
netan synth -q -o job --hosts 3 --steps 3 --fault slow-sender:1:4
netan synth -q -o both --hosts 3 --steps 3 --generation both \
	--fault loopback:0:20 --fault no-latency:1:30 --fault bad-key:2:9 \
	--fault clock:2:3ms --fault truncate:1:0.7
netan synth -q -o old --hosts 3 --steps 3 --generation message
netan synth -q -o torch --profile pytorch --hosts 2 --devices 2 --steps 3
cp -R job packed
gzip packed/plugins/profile/*/*.pb

# WHAT OPTION... INPUT: without, cold, warm.
same()
{
	local what=$1
	shift
	for how in one cold warm; do
		netan $what "$@" $([ $how = one ] || echo --cache kept) \
			-o $how.json >$how.out 2>$how.err
		echo $? >$how.rc
		sed -i "s/$how\.json/X/" $how.out $how.err
		for of in json out err rc; do
			cmp one.$of $how.$of || diff one.$of $how.$of | head -n 4
		done
	done
	rm -rf kept
}
for session in job both old packed torch/kineto; do
	for what in check info slack steps; do same $what $session; done
	for what in latency collectives; do same $what --anonymize $session; done
	echo "$session: done"
done
same latency --line 'MegascaleEM2*' old

echo '* what is read from there'
kept() { netan check --cache kept -v "$@" 2>&1 >out.stdout | grep -e --cache; }
kept job
kept job
ls kept | sed 's/-[0-9a-f]*\.netan/-HASH.netan/'
touch job/plugins/profile/*/host-2.xplane.pb
kept job
for f in kept/host-0-*; do truncate -s -1 "$f"; done
for f in kept/host-1-*; do echo nothing >"$f"; done
kept job
# Another trace of that name, as long and no newer.
for f in job/plugins/profile/*/host-1.xplane.pb; do
	touch -r "$f" was
	printf '\001' | dd of="$f" bs=1 seek=900 conv=notrunc status=none
	touch -r was "$f"
done
kept job
echo '* of a node whose clock is ahead'
touch -d '1 hour' job/plugins/profile/*/host-2.xplane.pb
kept job
kept job
echo '* of three nodes, at one path, as old as each other'
mkdir mounted
for round in 1 2; do
	for k in 0 1 2; do
		cp old/plugins/profile/*/host-$k.xplane.pb mounted/host.xplane.pb
		touch -d 2026-01-05 mounted/host.xplane.pb
		kept mounted
	done
done
echo '* damaged traces are read themselves, and not written again'
kept both
kept both
echo '* two traces of one name'
mkdir -p a b
cp old/plugins/profile/*/host-0.xplane.pb a
cp old/plugins/profile/*/host-0.xplane.pb b
netan info --cache kept -v --label A a --label B b 2>&1 | grep -e --cache
echo '* a copy is still one'
cp a/host-0.xplane.pb a/host-9.xplane.pb
netan check --cache kept a 2>&1
echo '* what needs none'
netan synth -q --size 100KB -o job.pcap
netan ingest -q -o old.netan old
kept old.netan job.pcap
echo '* left by runs that were killed'
mkdir swept
x=0123456789abcdef
for left in a-$x.netan.99999999-0.tmp n.netan.lab-$x.netan.99999999-0.tmp \
	b-$x.netan.$$-0.tmp c-$x.netan.x-0.tmp \
	d.tmp; do
	touch -d '2 days ago' swept/$left
done
touch swept/e-$x.netan.99999998-0.tmp # maybe of another node
kept old.netan --cache swept
ls swept | sed "s/\.$$-/.ALIVE-/"
echo '* no place'
echo >file
# Of several threads any may be the first to find out.
kept -o out.json old --cache file | sed 's/host-[0-9]-[0-9a-f]*\.netan/HOST-HASH.netan/'
netan check --cache old/plugins/profile/* old 2>&1
netan check --cache '' old 2>&1
echo "status $?"
