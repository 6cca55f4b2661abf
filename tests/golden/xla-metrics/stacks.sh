# Profiler lines and analysis blocks: who compiles, who fetches.
. "$NETAN_ROOT/tests/golden/xla-metrics/report.lib"
{
	for hash in 1a 2b 3c; do compiled $hash; done
	for hash in 1 2 2 2; do early $hash 133; done
	early 3 60
	echo "pt-xla-profiler: CompileTime too frequent: 21 counts during 22 steps"
	echo "W1120 21:28:00.1 42 metrics_analysis.cc:1] pt-xla-profiler: CompileTime too frequent: 40 counts during 44 steps"
	echo "pt-xla-profiler: TransferFromDeviceTime too frequent: 90 counts during 44 steps"
	echo "pt-xla-profiler: Op(s) not lowered: aten::nonzero, aten::masked_select,  Please open a GitHub issue with the above op lowering requests."
	echo "pt-xla-profiler: CompileTime too slow: longest instance took 21m37s200ms100.000us. Please open a GitHub issue with the graph dump."
	echo "pt-xla-profiler: ExecuteTime too slow: longest instance took 31s001ms100.000us. Please open a GitHub issue with the graph dump."
} >debug.log
netan xla-metrics debug.log --fail-on error
echo "exit $?"
netan xla-metrics debug.log --format md | tail -n 12
netan xla-metrics debug.log --format json | sed -n '/"stacks"/,/"findings"/p' | head -n 30
netan xla-metrics debug.log --format csv --table stacks
# Older: several metrics in one line.
echo "pt-xla-profiler: Following metrics too frequent: TransferFromServerTime (90 counts), during 44 steps. Note: XRT metrics" |
	netan xla-metrics - | head -n 5
