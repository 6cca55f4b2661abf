# --hlo: modules from dumps, where the trace holds none; what it says where
# there is nothing to read.
netan synth -o s --run r --hosts 2 --devices 1 --steps 2 --collectives 2 \
	--without hlo --without long-names --without channels \
	--shuffle-suffixes --hlo-dump dumps >/dev/null
joined() { netan slack "$@" | grep joined; }
echo "all of them"
joined --hlo dumps s
echo "packed, and one host's alone"
gzip dumps/host-0/* dumps/host-1/*
joined --hlo dumps/host-0 --hlo dumps/host-1 s
mkdir -p none
echo "nothing to see" >none/notes.txt
echo "a directory without a module"
netan slack --hlo none s >/dev/null
echo "exit $?"
echo "a damaged one among them"
zcat dumps/host-0/*.txt.gz | head -n 40 >none/module.txt
joined --hlo none --hlo dumps s
netan slack --strict --hlo none --hlo dumps s >/dev/null 2>&1
echo "exit $?"
echo "one that is not there, or is no module"
netan slack --hlo nowhere s
echo "exit $?"
netan slack --hlo none/notes.txt s
echo "exit $?"
