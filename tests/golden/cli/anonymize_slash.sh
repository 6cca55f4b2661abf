# A directory with a slash at its end is one word of its own, and what is below
# it another one; the run below a directory without plugins/profile is read.
netan synth -o t --run r --hosts 2 --devices 1 --steps 3 -q
netan synth -o job.pcap -q
mkdir -p jobx two
for dir in jobx two; do
	cp -r t/plugins/profile/r $dir/r17
done
netan info jobx --anonymize | tail -n 1
netan info jobx/ --anonymize | tail -n 1
netan check jobx/ --anonymize | grep -c 'dir-1path'
cp -r two/r17 two/second
netan info two
cp job.pcap two
netan info two/ --anonymize | grep path
