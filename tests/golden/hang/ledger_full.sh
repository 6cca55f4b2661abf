# A ledger gets all of a run or nothing, whatever the disk says: a limit of
# 2 KiB stands for a full one. What a crash has left of a line goes.
export SOURCE_DATE_EPOCH=1790000000
link() { # DAY A B
	cat <<-END
	2026-10-0${1}T03:09:06Z Megascale hang detected: Timed out waiting for 1 graphs to complete at launch_id $1. Timeout: 1m
	2026-10-0${1}T03:09:07Z Megascale detects a hang that is likely caused by a networking issue.
	  The hosts are: $2, $3
	END
}
link 1 host-1 host-2 >one
{
	link 2 host-3 host-4
	link 3 host-5 host-6
} >two
netan hang one --ledger ledger >/dev/null
# Another tool's lines bring it close to the limit.
while [ "$(wc -c <ledger)" -lt 1700 ]; do
	sed -n 1p ledger | sed 's/"run":"....../"run":"other./' >>ledger
done
size=$(wc -c <ledger)
# Shells count in units of their own.
unit=$(ulimit -f 1; head -c 5000 /dev/zero 2>nul >t; wc -c <t)
echo "== full: nothing is added, and that is said"
(
	ulimit -f $((2048 / unit))
	netan hang two --ledger ledger 2>&1 >/dev/null
	echo "status $?"
)
[ "$(wc -c <ledger)" = "$size" ] && echo "as it was"
echo "== with room again it is a new run"
netan hang two --ledger ledger | tail -2
[ "$(grep -c '"lines":4' ledger)" = 4 ] && echo "all four lines"
netan hang two --ledger ledger | tail -1
echo "== a crash has left three lines and a half of four"
grep -c . ledger >before
head -c -100 ledger >torn
cp torn ledger
netan hang two --ledger ledger | tail -2
tail -n 4 ledger | grep -c '"lines":4'
netan hang two --ledger ledger | tail -1
echo "== and three of four"
head -n -5 torn >ledger
grep '"lines":4' torn | head -3 >>ledger
netan hang two --ledger ledger | tail -1
tail -n 4 ledger | grep -c '"lines":4'
echo "== zeros behind a crash of the machine; a line without its end is whole"
head -c 300 /dev/zero >>ledger
netan hang two --ledger ledger | tail -2
head -c -1 ledger >whole
cp whole ledger
link 4 host-7 host-8 >four
netan hang four --ledger ledger | grep -c 'were removed'
grep -c '^{.*}$' ledger
wc -l <ledger
echo "== a new one that cannot be written: the answer all the same"
said=$(ulimit -f 0; netan hang two --ledger fresh 2>&1; echo "status $?")
echo "$said" | sed -n '1,2p;$p'
[ -e fresh ] && echo "an empty ledger is left"
netan hang two --ledger fresh >/dev/null && grep -c . fresh
