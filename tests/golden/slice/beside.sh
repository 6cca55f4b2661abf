# A directory with traces of another run: commands would read them as one job.
# A slice is written again into its own, whichever steps it is of, and beside
# what is no trace, or is of a directory below.
netan synth -q -o eight --hosts 8 --devices 1 --steps 3 --ops 1
netan synth -q -o six --hosts 6 --devices 1 --steps 3 --ops 1
netan synth -q -o c.pcap --size 10KB
cut()
{
	echo "slice $*"
	netan slice -q "$@" 2>&1
	echo "exit $?"
}
cut eight --step 1 -o mix/
md5sum mix/* >before
cut six --step 1 -o mix/
cut six --step 1 -o mix --anonymize
cut eight --step 1 --host host-3 -o mix
cut eight --step 1 --host 'host-[0-5]' -o mix
cut eight --step 1 --host 'host-[0-6]' -o mix
cut c.pcap --from 0s -o mix/
md5sum -c --quiet before
ls mix
cut eight --step 1 -o mix/
md5sum -c --quiet before
cut eight --step 2 -o mix/
cut six --step 1 -o gap/
cut eight --step 1 -o gap/
mkdir -p other/below/
echo notes >other/README
mv gap other/below/
cut six --step 1 -o other/
cut c.pcap --from 0s -o packets/
cut six --step 1 -o packets
ls packets
