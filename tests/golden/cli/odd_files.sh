# Pipes and devices in a directory are passed over and named; what never ends is
# refused.
mkdir session logs dumps
cp "$NETAN_ROOT/tests/data/graph.xplane.pb" session/a.xplane.pb
mkfifo session/b.xplane.pb session/c.xplane.pb.gz logs/a.log logs/x_rank_0 \
	dumps/m.hlo_proto.pb dumps/n.txt
ln -s /dev/zero session/d.xplane.pb
ln -s /dev/zero logs/z.log
ln -s /dev/zero dumps/z.txt
echo 'E0101 fine' >logs/b.log
printf 'HloModule m\n\nENTRY e {\n  ROOT p = f32[] parameter(0)\n}\n' >dumps/o.txt
look()
{
	echo "== $*"
	timeout -k 1 300 netan "$@" >out 2>err </dev/null
	echo "status $?"
	sed "s/near byte [0-9]*/near byte N/" err
}
look timeline session
look timeline session --strict
look check session
look ingest session -o made/
ls made
look hang logs
look hlo dumps
look slack session/a.xplane.pb --hlo dumps
for c in timeline check hang hlo xla-metrics info; do
	look $c /dev/zero
	echo "== yes | $c"
	yes | timeout -k 1 300 netan $c - 2>&1 >out |
		sed "s/near byte [0-9]*/near byte N/" | cut -c1-120
done
echo "== a line that is said often is no end"
{
	i=0
	while [ $i -lt 30 ]; do
		head -c 4000000 /dev/zero | tr '\0' 'x' | fold -w 99
		echo "line $i"
		i=$((i + 1))
	done
	echo HANG_DETECTED
} | netan hang - | head -1
