# Where the system gives no more, the error says what was taken and what would
# help; never the budget, which is far away.
[ -n "${NETAN_SAN-}" ] && {
	echo "skip: sanitizers map terabytes"
	exit 77
}
netan synth -q -o job --hosts 2
for v in 26000 28000 30000 32000 34000 36000 38000; do
	(ulimit -v $v && netan check job -j1 -o x.json) >out 2>err
	code=$?
	case $code in
	0) ;;
	*) sed -n 's/^netan: error: \(.*: \)*out of memory: with [0-9]* MB taken, for [0-9]* %/\1out of memory: with N MB taken, for P %/p' err ;;
	esac
	[ $code -gt 2 ] && [ $code -lt 127 ] && echo "status $code"
	ls | grep tmp
done | sed 's/.*out of/out of/' | sort | uniq -c | sed 's/^ *[0-9]* //'
