# Many hangs: links, the host behind them, repeat offenders, the ledger.
export SOURCE_DATE_EPOCH=1790000000
link() { # DAY A B
	cat <<-END
	2026-10-0$1T03:09:06Z Megascale hang detected: Timed out waiting for 1 graphs to complete at launch_id $1. Timeout: 1m
	2026-10-0$1T03:09:07Z Megascale detects a hang that is likely caused by a networking issue.
	  The hosts are: $2, $3
	  Full error digest:
	    Potential cause: Networking issue
	    Potential culprit workers: trainer/0:$2, trainer/1:$3
	END
}
{
	link 1 host-17 host-2
	link 2 host-3 host-17
	link 3 host-17 host-10
	link 4 host-9 host-17
	link 5 host-4 host-5
	link 6 host-17 host-2
} >all
netan hang all --ledger ledger
echo "== again: no run is noted twice"
cp all copy
netan hang copy --ledger ledger | tail -3
cat ledger
echo "== other runs, one without a hang, and lines that are damaged"
link 7 host-17 host-8 >seven
netan hang seven --ledger ledger | tail -8
echo 'all is well' >calm
netan hang calm --ledger ledger
printf 'not json\n{"when":"2026-10-09T00:00:00Z","run":"x"}\n{"when":"2026-10-09","run":"x","by":"hang","host":"host-17"}\n{"when":"2020' >>ledger
link 8 host-1 host-17 >eight
netan hang eight --ledger ledger | tail -6
tail -n 3 ledger
netan hang eight --ledger ledger --format json | sed -n '/"ledger"/,/^    }/p'
echo "== eight at once"
for i in 1 2 3 4 5 6 7 8; do
	link $i host-$i host-17 >at-once-$i
	netan hang at-once-$i --ledger crowd >/dev/null &
done
wait
wc -l <crowd
netan hang at-once-8 --ledger crowd | tail -2
echo "== one end of a link, and then named alone"
{
	link 8 host-17 host-1
	printf '2026-10-09T00:00:00Z Full error digest:\n'
	printf '  Potential cause: Bad TPU chips\n'
	printf '  Potential culprit workers: host-17\n'
} >alone
netan hang alone --ledger named | head -1
cut -d, -f4-7 named
echo "== hostile names"
printf '2026-10-09T00:00:00Z Full error digest:\n  Potential cause: Bad TPU chips\n  Potential culprit workers: =cmd|"x",<b>\001\b\342\200\256\n' >evil
netan hang evil --ledger other
cat other
netan hang evil --ledger other --format csv
netan hang evil --format md
echo "== beside a file"
netan hang all -o all.json 2>&1
netan hang calm -o calm.json 2>&1
netan synth -q --profile pytorch -o stuck --fault stuck-host:r3 \
	--fault stuck-host:r5
netan hang stuck -o stuck.json 2>&1
echo "== all formats"
netan hang seven --format csv
netan hang all --format csv --table links
netan hang all --format md --top 1
netan hang all --anonymize | head -8
netan hang all --fail-on error >/dev/null || echo "status $?"
netan hang seven --fail-on warning -o out.json || echo "status $?"
echo "== pairs"
netan synth -o job --hosts 6 --steps 12 --fault slow-receiver:host-3:5 >/dev/null
netan pairs job --ledger ledger | sed -n '/What the ledger/,$p'
netan pairs job --ledger ledger | tail -2
