# Any number of threads, the same bytes: also where files are damaged, a
# worker has another program, and a trace comes between dumps.
module() { # NAME OPCODE
	printf 'HloModule %s\n\nENTRY main {\n  p = f32[4] parameter(0)\n  ROOT r.%s = f32[4] %s(p)\n}\n' \
		"$1" "$2" "$2"
}
for w in 0 1 2 3 4 5 6 7 8; do
	mkdir -p dumps/w$w
	module jit_f copy >dumps/w$w/f.txt
	module jit_g abs >dumps/w$w/g.txt
done
module jit_f negate >dumps/w5/f.txt
module jit_h all-reduce >dumps/w3/h.txt
head -c 30 dumps/w7/g.txt >dumps/w7/cut.txt
echo "no module" >dumps/w2/a.txt
printf '\012\013\022\011/host:CPU' >host-9.xplane.pb
for j in 1 2 3 16; do
	module jit_k copy | netan hlo -j $j --format json dumps/w[0-4] - \
		host-9.xplane.pb dumps/w[5-8] >$j.json 2>$j.err
	sed 's/ -j [0-9]*//' $j.json >$j.same
	cmp 1.same $j.same && cmp 1.err $j.err && echo "-j $j: the same"
done
cat 1.err
netan hlo -j 3 dumps 2>&1
netan hlo -j 0 dumps
echo "exit $?"
