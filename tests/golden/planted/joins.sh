# The same costs, by whatever way the ops find their collective.
. "$NETAN_ROOT/tests/golden/planted/common"
n=0
try()
{
	n=$((n + 1))
	printf '%s: ' "$*"
	job j$n --devices 2 "$@"
	slack j$n
	netan slack j$n | sed -n 's/^kinds of ops/  /p'
}
try
try --without hlo
try --without long-names
try --without done-rendezvous
try --without hlo --without done-rendezvous
try --without hlo --without done-rendezvous --shuffle-suffixes
try --without hlo --without done-rendezvous --without channels
try --without long-names --shuffle-suffixes
try --without long-names --shuffle-suffixes --without channels
try --without dcn-info
try --without steps
try --without modules
try --without run-ids
try --without local-ids
try --skip-planes 1
# By rank the only device would be the other one: better none than that.
try --skip-planes 1 --without local-ids
# Dumps of the programs in the place of the traces' own.
job dumped --devices 2 --without hlo --without long-names --hlo-dump dumps
printf 'without them and texts, with their dumps: '
slack dumped --hlo dumps
