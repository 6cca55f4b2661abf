# A capture above the traces of a run: both are read, wherever the run lies; of
# several runs none is, which is said.
netan synth -q --hosts 4 --steps 10 --fault slow-sender:host-3:3 --run one -o job
netan synth -q -o cap.pcap
cp cap.pcap job
mkdir flat
mv job/plugins/profile/one flat
cp -r flat/one job/plugins/profile
cp cap.pcap flat
for dir in job flat; do
	netan check $dir | grep -e '^suspect' -e '^possible' -e '^looked' -e '^[0-9]* capture'
	netan sql $dir 'select count(*) from transfers' 2>&1
	netan slice --step 3 -o cut-$dir/ $dir | tail -n 1
	netan export -q -o $dir.sqlite $dir && netan report -q -o $dir.html $dir &&
		ls $dir.sqlite $dir.html
done
cp -r flat/one flat/two
netan check flat | grep -e '^suspect' -e '^possible' -e '^looked' -e '^[0-9]* capture'
netan check flat/*.pcap flat/two | head -n 1
netan check --anonymize flat | tail -n 1
cp flat/one/*.pb flat
netan check flat | tail -n 1
rm flat/*.pb flat/*.pcap
netan ingest -q flat/one -o flat/x.netan
netan check flat | tail -n 1
