# --anonymize: secrets wherever a name can stand, every command that takes the
# option (the help says which), every format: none of them is in any output.
# Each secret has a number of its own behind "zq", so that a leak says whose.
# The last line says which are in outputs without the option.
# Not sanitized: cli/anonymize runs the same commands.
. "$NETAN_ROOT/tests/golden/cli/anonymize.inc"
log=zq00.log
synth() { netan synth -q "$@" >>"$log" 2>&1 || cat "$log"; }
# Protobuf fields behind the last one: of an XSpace 2 are its errors, 3 its
# warnings, 4 the hosts.
field() { printf "\\$(printf %o $(($1 << 3 | 2)))\\$(printf %o ${#2})%s" "$2"; }
run=home/zq01user/zq02dir/plugins/profile/zq03run
session()
{
	mkdir -p $run
	synth -o s --run r --hosts 3 --devices 2 --steps 3 --seed 3 \
		--hlo-dump dumps --fault program:1 --fault truncate:host-2:0.9
	for k in 0 1 2; do
		# Names of as many letters: collectives that hold a host's,
		# source files, operations.
		LC_ALL=C sed -e "s/all-reduce\.40_1/zq11node1.40_01/g" \
			-e 's/transformer/zq10node0_x/g' \
			s/plugins/profile/r/host-$k.xplane.pb \
			>$run/zq1${k}node$k.zq04dom.corp.xplane.pb
		mkdir -p zq05dumps/zq1${k}node$k
		for f in dumps/host-$k/*; do
			LC_ALL=C sed -e 's/train\.py/zq06s.py/g' \
				-e 's/transformer/zq10node0_x/g' \
				-e 's/train_step/zq10node0_/g' \
				$f >zq05dumps/zq1${k}node$k/${f##*/}
		done
	done
	{
		field 2 'cannot reach zq20peer.zq21other: connection refused'
		field 3 'zq22peer did not answer at zq23name'
		field 4 zq11node1.zq04dom.corp
	} >>$run/zq11node1.zq04dom.corp.xplane.pb
	echo 'zq25 is no trace' >$run/../zq26broken.xplane.pb
	mkdir $run/../zq27older
	cp $run/zq10node0.* $run/../zq27older/
	touch -d 2020-01-01 $run/../zq27older/*
	touch $run/zq28other.pcap
	mkfifo $run/zq29pipe.xplane.pb
}
ranks()
{
	synth -o p --profile pytorch --hosts 2 --devices 1 --steps 3 \
		--evidence kineto --evidence recorder --evidence inspector
	mkdir -p zq30ranks
	for f in p/kineto/*; do
		sed -e 's/host-0/zq31node0/g' -e 's/host-1/zq31node1/g' \
			-e 's/train\.py/zq06s.py/g' "$f" \
			>"zq30ranks/$(basename "$f" |
				sed 's/host-/zq31node/')"
	done
	mkdir -p zq32inspector
	for f in p/inspector/*; do
		sed 's/host-/zq31node/g' "$f" >"zq32inspector/$(basename "$f" |
			sed 's/host-/zq31node/')"
	done
	printf 'rank,host\n0,zq33node0\n1,zq33node1\n' >zq34hosts.csv
}
packets()
{
	synth -o zq40job.pcap --seed 2
	printf 'address,host\n10.1.0.1,zq41node\n10.1.0.2,zq42node\n' \
		>zq43hosts.csv
	printf 'host,rack\nzq41node,zq44rack\nzq42node,zq45rack\n' \
		>zq46racks.csv
	printf 'address,host\nzq47address,zq48,zq49\n' >zq50bad.csv
	printf 'rack,host\nzq51rack\n' >zq52bad.csv
}
logs()
{
	mkdir zq60logs
	cat >zq60logs/zq61.log <<-'EOF'
	[zq62job-0] I0102 03:04:05.600000 77 x.cc:9] Megascale hang detected: Timed out waiting for 2 graphs to complete at launch_id 811. Already completed: 40. StepGloballyInProgress: true. Timeout: 5m
	[zq62job-0] E0102 03:09:06.100000 77 y.cc:8] Megascale detects a hang that is likely caused by a networking issue.
	[zq62job-0]   The hosts are: zq63node, zq64node.corp
	[zq62job-0]   Full error digest:
	[zq62job-0]     Potential cause: Networking issue of zq67peer
	[zq62job-0]     Of zq68peer nobody heard
	[zq62job-0]     Potential culprit workers: zq65task/3:zq63node, zq65task/9:zq64node.corp
	[zq62job-0]     TPU states:
	[zq62job-0]     Module: jit_step
	[zq62job-0]     Fingerprint: 12ab
	[zq62job-0]     Launch ID: 811
	[zq62job-0]       7:0x10(all-reduce.zq63node.1): zq63node, zq64node.corp
	EOF
	cat >zq66.log <<-'EOF'
	Metric: ExecuteTime
	  TotalSamples: 96
	  Accumulator: 12s310ms842.117us
	Compilation Analysis: ================================================================================
	Compilation Analysis: Compilation Cause
	Compilation Analysis:   user mark_step
	Compilation Analysis: Graph Info: 
	Compilation Analysis:   Graph Hash: 12ab
	Compilation Analysis:   Number of Graph Inputs: 2
	Compilation Analysis:   Number of Graph Outputs: 1
	Compilation Analysis: Python Frame Triggered Execution: 
	Compilation Analysis:   step (/home/zq01user/zq69.py:12)
	Compilation Analysis: --------------------------------------------------------------------------------
	Compilation Analysis: ================================================================================
	EOF
	. "$NETAN_ROOT/tests/golden/sysctl/host.inc"
	for k in 0 1 2; do host zq70snaps/zq1${k}node$k.zq04dom.corp; done
	put zq70snaps/zq11node1.zq04dom.corp/proc/sys/kernel/hostname zq71node
	printf 'default via 10.1.0.1 dev zq71node-0 proto dhcp src 10.1.0.7\n' \
		>zq73routes
	printf '10.1.0.0/24 dev enx00163e5e6c01 proto kernel scope link\n' \
		>>zq73routes
	put zq70snaps/zq12node2.zq04dom.corp/sys/class/net/zq76nic/mtu 1500
	put zq70snaps/zq12node2.zq04dom.corp/sys/class/net/zq76nic/type 1
	put zq70snaps/zq12node2.zq04dom.corp/sys/class/net/zq76nic/operstate up
	put zq70snaps/zq12node2.zq04dom.corp/sys/class/net/zq76nic/device/uevent DRIVER=gve
	printf 'default via 10.1.0.1 dev zq77nic proto static\n' \
		>zq70snaps/zq12node2.zq04dom.corp/routes.txt
	printf '{"when":"2026-10-09T00:00:00Z","run":"zq75run","by":"hang","host":"zq63node"}\n' \
		>zq74ledger
}
# What reading is alike for all, once.
more_of_check()
{
	see $a $run/zq11node1.zq04dom.corp.xplane.pb
	see $a zq40job.pcap --hosts zq43hosts.csv --topology zq46racks.csv
	see $a zq40job.pcap --topology zq52bad.csv
	see $a $run --host zq10node0.zq04dom.corp --host zq96nobody
	see $a zq40job.pcap --hosts zq50bad.csv
	see $a zq40job.pcap --hosts zq53none.csv
	see $a home/zq01user/zq02dir --ledger zq74ledger
	see $a home/zq01user/zq02dir --hlo zq05dumps --host-settings zq70snaps
	see $a home/zq01user/zq02dir --hlo zq54none
	see $a home/zq01user/zq02dir --host-settings zq55none
}
session
ranks
packets
logs
commands=$(netan --help | awk '/^Commands:/ { on = 1; next } /^$/ { on = 0 }
	on { print $1 }')
for c in $commands; do
	netan help $c | grep -q -- --anonymize || continue
	ran=
	a="$c --anonymize"
	case $c in
	sysctl)
		see $a --root zq70snaps/zq11node1.zq04dom.corp --routes zq73routes
		see $a --root zq70snaps/zq12node2.zq04dom.corp
		see $a --root zq70snaps/zq86none
		netan $a --root zq70snaps/zq11node1.zq04dom.corp --snapshot \
			/proc/zq87snap >o.table 2>o.stderr
		leaks
		;;
	hang)
		see $a zq60logs
		see $a zq60logs --ledger zq74ledger
		see $a zq60logs --ledger zq88none/zq89ledger
		see $a zq32inspector
		see $a zq32inspector --hosts zq50bad.csv
		see $a zq32inspector --hosts zq53none.csv
		refused $a zq60logs
		;;
	xla-metrics)
		see $a zq66.log
		refused $a zq66.log
		;;
	diff)
		see $a $run/zq10node0.zq04dom.corp.xplane.pb \
			$run/zq11node1.zq04dom.corp.xplane.pb
		refused $a $run/zq11node1.zq04dom.corp.xplane.pb
		;;
	report)
		made $a home/zq01user/zq02dir -o o.html -o o.dir/ \
			--title 'of zq10node0'
		made $a zq40job.pcap -o o.html -o o.pftrace
		made $a zq40job.pcap -o zq80none/zq81out.html
		refused $a zq40job.pcap
		;;
	export)
		made $a home/zq01user/zq02dir $run/../zq26broken.xplane.pb \
			-o o.sqlite -o o.pftrace
		made $a zq30ranks --label zq31node0 zq30ranks/zq31node0* \
			--hosts zq34hosts.csv -o o.sqlite -o o.pftrace
		made $a zq40job.pcap --hosts zq43hosts.csv \
			--topology zq46racks.csv -o o.sqlite -o o.pftrace
		made $a zq40job.pcap -o zq80none/zq81out.sqlite
		refused $a zq40job.pcap
		;;
	sql)
		for t in transfers collectives steps hosts findings inputs; do
			see $a home/zq01user/zq02dir "SELECT * FROM $t"
		done
		see $a zq30ranks --hosts zq34hosts.csv 'SELECT * FROM ranks'
		see $a zq40job.pcap --hosts zq43hosts.csv \
			--topology zq46racks.csv 'SELECT * FROM rack_pairs'
		see $a home/zq01user/zq02dir \
			"SELECT 'zq10node0.zq04dom.corp', nothing FROM hosts"
		refused $a home/zq01user/zq02dir
		;;
	slice)
		made $a home/zq01user/zq02dir --from 0s -o o.dir/
		made $a home/zq01user/zq02dir --from 0s -o zq94out/
		made $a home/zq01user/zq02dir --from 0s --host 'zq10*' \
			-o o.xplane.pb
		made $a zq40job.pcap --from 0s -o o.pcap
		made $a zq30ranks --from 0s -o zq94ranks/
		refused $a zq40job.pcap
		;;
	ingest)
		made $a home/zq01user/zq02dir -o o.netan
		made $a home/zq01user/zq02dir --label zq10node0.zq04dom.corp \
			$run/zq10node0.zq04dom.corp.xplane.pb -o o.netan
		made $a home/zq01user/zq02dir -o o.dir/
		made $a home/zq01user/zq02dir -o zq93out/
		made $a home/zq01user/zq02dir -o zq93out/
		made $a zq40job.pcap -o o.netan
		made $a zq30ranks -o o.netan
		made $a zq40job.pcap -o /proc/zq83.netan
		refused $a zq40job.pcap
		;;
	partial)
		mkdir zq90parts
		for k in 1 2; do
			made $a --shard $k/2 -o zq90parts/0.$k.nap \
				check home/zq01user/zq02dir
		done
		netan merge -q -o zq90parts/plan.nap zq90parts/0.*.nap
		for k in 1 2; do
			made $a --shard $k/2 -o zq90parts/1.$k.nap \
				--plan zq90parts/plan.nap \
				check home/zq01user/zq02dir
		done
		made merge zq90parts/1.*.nap -o o.json
		made merge zq90parts/1.*.nap
		made merge -o zq97none/zq98.json zq90parts/1.*.nap
		;;
	capture)
		made $a -i zq94nic --transfers o.netan --packets 1
		made $a -i lo --filter 'tcp and host zq95peer' --packets 1 \
			--transfers o.netan
		made $a -i lo --transfers zq80none/zq92.netan --packets 1
		;;
	hlo)
		see $a home/zq01user/zq02dir $run/../zq26broken.xplane.pb
		see $a $run/zq11node1.zq04dom.corp.xplane.pb
		see $a zq05dumps
		see $a zq05dumps/zq10node0/*.txt zq05dumps/zq11node1/*.pb \
			--label worker-a zq05dumps/zq12node2
		refused $a zq05dumps
		;;
	*)
		see $a home/zq01user/zq02dir $run/../zq26broken.xplane.pb
		see $a zq30ranks --label zq31node0 zq30ranks/zq31node0* \
			--hosts zq34hosts.csv
		see $a zq40job.pcap
		see $a zq40job.pcap --filter 'tcp and not host zq95peer'
		refused $a home/zq01user/zq02dir
		[ $c != check ] || more_of_check
		;;
	esac
	echo "$c:$ran"
done
said
# One name is one number, whatever prints, draws or writes it.
rm $run/zq29pipe*
netan info --anonymize $run -q --format csv | cut -d, -f1-3
netan latency --anonymize $run -q --by collective,host -o o.csv
netan ingest --anonymize $run -q -o o.netan
grep -o 'host-[0-9]*\.40_01,host-[0-9]*' o.csv
netan latency o.netan -q --by collective,host --format csv >o.read
cmp o.csv o.read && echo same
