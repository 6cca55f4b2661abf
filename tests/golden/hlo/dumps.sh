# Eight workers' dump directories and a digest that says "fingerprint
# mismatch": who differs, from where on, by how much.
dump() { # WORKER DTYPE EXTRA
	mkdir -p "dumps/$1/xla_dump"
	cat <<-END
	HloModule jit_step, is_scheduled=true, replica_count=4, num_partitions=2

	%add (a: f32[], b: f32[]) -> f32[] {
	  %a = f32[] parameter(0)
	  %b = f32[] parameter(1)
	  ROOT %sum.$1 = f32[] add(f32[] %a, f32[] %b)
	}

	ENTRY %main (p: $2[1024,128]) -> $2[1024,128] {
	  %p = $2[1024,128]{1,0} parameter(0), metadata={op_name="$1"}
	$3
	  %all-reduce.1 = $2[1024,128]{1,0} all-reduce($2[1024,128]{1,0} %p), channel_id=1, replica_groups=[2,4]<=[8], to_apply=%add
	  %after-all.1 = token[] after-all()
	  %send.1 = ($2[1024,128]{1,0}, u32[], token[]) send($2[1024,128]{1,0} %all-reduce.1, token[] %after-all.1), channel_id=2, is_host_transfer=true, frontend_attributes={_xla_host_transfer_handler_name="xla_megascale_runtime",_xla_host_transfer_rendezvous="psum.1_0",_xla_megascale_target="{0:1}x{0:3}",_xla_megascale_transfer_type="ALL_REDUCE"}
	  %send-done.1 = token[] send-done(($2[1024,128]{1,0}, u32[], token[]) %send.1), channel_id=2, is_host_transfer=true
	  %recv.1 = ($2[1024,128]{1,0}, u32[], token[]) recv(token[] %after-all.1), channel_id=3, is_host_transfer=true, frontend_attributes={_xla_host_transfer_handler_name="xla_megascale_runtime",_xla_host_transfer_rendezvous="psum.1_0",_xla_megascale_target="{0:1}x{0:3}",_xla_megascale_transfer_type="ALL_REDUCE"}
	  %recv-done.1 = ($2[1024,128]{1,0}, token[]) recv-done(($2[1024,128]{1,0}, u32[], token[]) %recv.1), channel_id=3, is_host_transfer=true
	  ROOT %get-tuple-element.1 = $2[1024,128]{1,0} get-tuple-element(($2[1024,128]{1,0}, token[]) %recv-done.1), index=0
	}
	END
}
name=module_0012.jit_step.after_optimizations.txt
extra='  %copy.9 = bf16[1024,128]{1,0} copy(bf16[1024,128]{1,0} %p)'
for w in 0 1 2 4 5 6 7; do
	mkdir -p dumps/host-$w/xla_dump
	dump host-$w bf16 >dumps/host-$w/xla_dump/$name
	# A compiler's other files do not count, nor do logs.
	dump host-$w f$w >dumps/host-$w/xla_dump/module_0012.jit_step.before_optimizations.txt
	echo "compiled on host-$w" >dumps/host-$w/xla_dump/notes.txt
done
echo "all the same"
netan hlo dumps
echo "one differs"
mkdir -p dumps/host-3/xla_dump
dump host-3 bf16 "$extra" >dumps/host-3/xla_dump/$name
netan hlo dumps
netan hlo dumps/host-* --fail-on error --format csv --table workers
echo "exit $?"
echo "it runs float32"
dump host-3 f32 >dumps/host-3/xla_dump/$name
netan hlo dumps | sed -n 3,6p
netan hlo dumps --format json | grep -A 3 only_here | tail -n 4
gzip dumps/host-3/xla_dump/$name
netan hlo dumps | sed -n 3p
echo "two files"
dump a bf16 >a.txt
dump b bf16 "$extra" >b.hlo
netan hlo --label good a.txt --label bad b.hlo | sed -n 3p
netan hlo a.txt b.hlo | sed -n 3p
netan hlo - <b.hlo | sed -n 3p
gzip -c b.hlo | netan hlo - | sed -n 3p
# A worker is called by what tells it apart.
mkdir -p h/x/1 h/x/2
cp a.txt h/x/1
cp b.hlo h/x/2
netan hlo ./h/x/1/ h/x//2 | sed -n 3p
netan hlo h --label job | sed -n 3p
netan hlo --label run h | sed -n 3p
