# A job that hangs: its dumps and its traces are one story, which names the
# rank and its host; healthy dumps beside traces, and logs of a job that runs,
# accuse nobody; logs alone are for netan hang.
netan synth -q --profile pytorch --hosts 2 --devices 4 --steps 4 --seed 3 \
	--fault stuck-host:r6 --evidence kineto --evidence recorder -o hung
netan synth -q --profile pytorch --hosts 2 --devices 4 --steps 4 --seed 3 \
	--evidence kineto --evidence recorder -o healthy
netan check --only hang hung/kineto hung/recorder
netan check --only hang --format json hung/recorder hung/kineto |
	grep -A 8 '"accused"'
netan check --only hang healthy/kineto healthy/recorder
netan check --only hang healthy/kineto healthy/recorder | sed -n "/^passed/{N;s/\n/: /;p}"
mkdir logs
for rank in 0 1; do
	for i in 0 1 2 3; do
		[ $rank = 1 ] && [ $i = 3 ] && continue
		echo "[2026-01-05 10:00:0$i] host-0:10$rank:10$rank [$rank] NCCL" \
			"INFO AllReduce: opCount $i sendbuff 0x1 recvbuff 0x2" \
			"count 1024 datatype 7 op 0 root 0 comm 0x55$rank" \
			"[nranks=2] stream 0x9"
	done >logs/rank$rank.log
done
netan check --only hang healthy/kineto logs
netan check --only hang logs
netan hang healthy/kineto logs
echo "[2026-01-05 10:09:00] host-0 trainer: still here" >>logs/rank0.log
netan check --only hang healthy/kineto logs | head -n 3
echo "== what decides, as evidence"
netan check --only hang hung/recorder | sed -n '/^Evidence/,/^Confidence/p'
netan check --only hang hung/recorder --format json >hung.json
sed -n '/"evidence": {/,/"evidence_text"/p' hung.json |
	grep -E '"(completed|enqueued|state|dump_spread_s|lasted_s|operation)":'
echo "== no dump of a rank is here: it may have called it, too"
netan synth -q --profile pytorch --hosts 2 --devices 4 --steps 4 --seed 3 \
	--fault missing-rank:r6 --evidence recorder -o lost
netan check --only hang lost/recorder | grep -E '^(error|Conf|Or else)'
netan check --only hang lost/recorder --format json |
	sed -n '/"accused": \[/,/\]/p' | grep '"confidence"'
echo "== the same place of the program without names"
netan check --only hang lost/recorder | grep -o 'called .* at .*'
netan check --only hang --anonymize lost/recorder | grep -o 'called .* at .*'
