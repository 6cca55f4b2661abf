# A directory with a slash at its end is one word of its own, and what is below
# it another one; the run below a directory without plugins/profile is read.
netan synth -o t --run r --hosts 2 --devices 1 --steps 3 -q
netan synth -o job.pcap -q
mkdir -p one two
for dir in one two; do
	cp -r t/plugins/profile/r $dir/first
done
netan info one --anonymize | tail -n 1
netan info one/ --anonymize | tail -n 1
netan check one/ --anonymize | grep -c 'dir-1path'
cp -r two/first two/second
netan info two
cp job.pcap two
netan info two/ --anonymize | grep path
