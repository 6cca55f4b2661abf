# What cannot be read is said, and what it should have been.
netan hlo
echo "exit $?"
netan hlo nowhere
echo "exit $?"
mkdir empty
netan hlo empty
echo "exit $?"
head -c 3000 /dev/zero | tr '\0' '\377' >garbage.pb
netan hlo garbage.pb
echo "exit $?"
printf 'I1120 21:28:00 step 1 done\n' >log.txt
netan hlo log.txt
echo "exit $?"
mkdir logs
cp log.txt logs/a.txt
ln -s .. logs/up
netan hlo logs
echo "exit $?"
: >nothing
netan hlo nothing
echo "exit $?"
printf 'HloModule m\n\nENTRY %%main {\n  ROOT %%c = f32[] constant(1)\n}\n' >m.txt
head -c 30 m.txt >cut.txt
netan hlo cut.txt
echo "exit $?"
netan hlo m.txt cut.txt nowhere
echo "exit $?"
netan hlo m.txt cut.txt -q --strict
echo "exit $?"
netan hlo m.txt --table workers
echo "exit $?"
netan hlo m.txt -o m.svg
echo "exit $?"
# Text and binary form of one module: a module of that name in a HloProto.
printf '\012\036\012\001m\032\027\012\004main\022\015\012\001c\022\010constant\050\001\060\001' >m.pb
netan hlo m.txt m.pb
# A trace of a host without its metadata plane says nothing of that host.
printf '\012\013\022\011/host:CPU' >host-9.xplane.pb
netan hlo host-9.xplane.pb
echo "exit $?"
cp m.txt k.txt
netan hlo m.txt k.txt host-9.xplane.pb --strict
echo "exit $?"
# Another module on one worker.
sed 's/HloModule m/HloModule n/' m.txt >n.txt
netan hlo m.txt n.txt --fail-on warning
echo "exit $?"
