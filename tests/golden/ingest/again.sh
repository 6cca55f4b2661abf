# What is there, whole and of the same options, is not written again; what is
# not, is; what is strange, or cannot be read, is named.
netan synth -o t --run r --hosts 4 --devices 1 --steps 2 --ops 1 >/dev/null
run=t/plugins/profile/r
touch -d '2020-01-01' $run/*
say() { sed 's/, [0-9.]* [KM]*i*B: .*//; /^a transfer takes/d'; }
ingest() { netan ingest "$@" 2>&1 | say; }
ingest -o d/ t
ls d
ingest -o d t
echo "one gone, one cut, one of a newer trace"
rm d/host-0.netan
head -c 3000 d/host-1.netan >cut && cp cut d/host-1.netan
touch -d '2030-01-01' $run/host-2.xplane.pb
ingest -o d t
touch -d '2020-01-01' $run/host-2.xplane.pb
echo "nothing is there of another trace of that name, nor with other options"
mkdir other && cp -p $run/* other
printf '\0' >>other/host-3.xplane.pb
touch -d '2020-01-01' other/host-3.xplane.pb
ingest -o d other
ingest -o d2/ other
ingest --anonymize -o d t
ingest --anonymize -o d3/ t
ingest --anonymize -o d3 t
echo "the same bytes one by one, and on any number of threads"
netan ingest -q -j 1 -o one/ $run/host-2.xplane.pb
netan ingest -q -j 3 -o all/ t
cmp one/host-2.netan all/host-2.netan && echo same
echo "unreadable"
echo nothing >$run/host-1.xplane.pb
for strict in "" --strict; do
	netan ingest $strict -o new/ t >out 2>err
	echo "exit $?"
	say <out
	cut -c1-60 err
done
ls new
echo "not into the directory of the traces, nor where a file is"
ingest -o $run/ t
(cd $run && netan ingest -o . host-0.xplane.pb) 2>&1
ingest -o t t
touch file
ingest -o file/ t
ingest -o no/such/ t
netan ingest -o none/ missing 2>&1
ls none 2>&1
echo "another label, and a wrong checksum"
mkdir x
cp -p $run/host-0.xplane.pb x/host-7.xplane.pb
ingest --label one -o l/ x
ingest --label two -o l/ x
half=$(($(wc -c <l/host-7.netan) / 2))
printf XX | dd of=l/host-7.netan bs=1 seek=$half conv=notrunc 2>/dev/null
ingest --label two -o l/ x
ingest --label two -o l/ x
echo "what was left half written, and whose trace is gone"
touch l/host-7.netan.99999999-0.tmp
cp -p x/host-7.xplane.pb x/host-8.xplane.pb
printf 'x\001' >>x/host-8.xplane.pb # no copy
ingest --label two -o l/ x
rm x/host-8.xplane.pb
ingest --label two -o l/ x
ls l
echo "a capture that sorts first"
netan synth -q -o cap.pcap --size 100KB --seed 4 >/dev/null
mkdir c
cp cap.pcap c/m.pcap
netan ingest -q -o C/ c
netan synth -q -o c/a.pcap --size 100KB --seed 5 >/dev/null
netan ingest -q -o C/ c
ls C
echo "twice -o"
ingest -o a.netan -o b/ x
