# Of a directory the files that hold something of PyTorch/XLA are read, as if
# they had been named; other logs in it are no inputs.
. "$NETAN_ROOT/tests/golden/xla-metrics/report.lib"
mkdir -p run/sub empty
report 12 50 10 >run/1-start.txt
report 412 1050 1260 >run/sub/2-end.txt
echo 'step 1 loss 0.1' >run/train.log
netan xla-metrics run/1-start.txt run/sub/2-end.txt --steps 1000 >named
echo "exit $?"
netan xla-metrics run --steps 1000 >found
cmp named found
netan xla-metrics run --steps 1000 --format json |
	sed -n 's/.*"path": "\(.*\)".*/\1/p'
netan xla-metrics run --anonymize --steps 1000 --format json |
	sed -n 's/.*"path": "\(.*\)".*/\1/p'
netan xla-metrics empty
echo "exit $?"
mkdir other
cp run/train.log other
netan xla-metrics other
echo "exit $?"
