# One worker dumps text, another protos: what they communicate is listed once
# where they agree; and who carries it as far as that can be known.
netan synth -o t --run r --hosts 2 --steps 1 --collectives 2 --hlo-dump d -q
mkdir -p both/a both/b
cp d/host-0/*.txt both/a
cp d/host-1/*.pb both/b
netan hlo both | tail -n +6
echo "they do not agree"
sed -i 's/channel_id=1,/channel_id=71,/' both/a/*.txt
netan hlo both --format csv --table collectives | cut -d, -f1-8
echo "GPUs, by the planes of the traces"
netan synth -o g --run r --profile gpu --hosts 2 --steps 1 --collectives 2 \
	--hlo-dump gd -q
netan hlo g --format csv --table collectives | cut -d, -f1-5
echo "a dump alone does not tell; with the trace of one worker it is known"
netan hlo gd --format csv --table collectives | cut -d, -f1-5
netan hlo gd g/plugins/profile/r/host-1.xplane.pb --format csv \
	--table collectives | cut -d, -f1-5
echo "by what the compiler writes"
module() { # NAME LAYOUT MORE
	cat <<-END
	HloModule $1

	ENTRY main {
	  p = f32[1024]{0$2} parameter(0)
	  c = f32[1024]{0$2} copy(p)$3
	  ROOT r = f32[1024]{0$2} all-reduce(c), channel_id=1, replica_groups={{0,1}}
	}
	END
}
module jit_unknown >unknown.txt
module jit_gpu "" ', backend_config={"operation_queue_id":"0"}' >gpu.txt
module jit_tpu ':T(8,128)' >tpu.txt
netan hlo *.txt --format csv --table collectives | cut -d, -f1,3-5
