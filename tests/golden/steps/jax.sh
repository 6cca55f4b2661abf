# A JAX trace as JSON, as XProf writes it of an XSpace: the same steps and
# device operations as that XSpace, without what JSON lacks (sizes, programs,
# the Megascale plane, the clock).
cp "$NETAN_ROOT"/tests/data/jax-*.trace.json.gz .
for kind in tpu gpu; do
	mkdir -p run-$kind
	cp "$NETAN_ROOT"/tests/data/jax-$kind.xplane.pb run-$kind/
	netan steps jax-$kind.trace.json.gz
	netan steps jax-$kind.trace.json.gz --format json 2>/dev/null |
		sed -n '/^  "result"/,/^  "notes"/p' |
		sed "s/jax-$kind/H/; /origin\|trace_/d" >json
	netan steps run-$kind --format json 2>/dev/null |
		sed -n '/^  "result"/,/^  "notes"/p' |
		sed "s/jax-$kind/H/; /origin\|trace_/d" >xspace
	wc -l <xspace
	diff xspace json && echo "the same steps"
	# Beside its XSpace it is not read.
	cp jax-$kind.trace.json.gz run-$kind/
	netan info run-$kind | head -n 1
done
netan collectives jax-gpu.trace.json.gz 2>/dev/null | head -n 8
gzip -dc jax-tpu.trace.json.gz | head -c 40000 | netan info - |
	sed -n "/^damage/,/^$/p"
netan hlo jax-gpu.trace.json.gz
