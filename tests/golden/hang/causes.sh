# Each cause, in the wordings of each generation of the runtime.
older() { # CAUSE-LINE CAUSE HOST
	cat <<-END
	$1

	$4

	Full error digest:
	  Potential cause: $2
	  Potential culprit workers: $3
	  TPU stats:
	    $3: 0x1f3
	    host-2: 77
	  TPU program fingerprints:
	    $3: aaaa
	    host-2: bbbb
	    host-1: bbbb
	END
}
tell() { # FILE
	netan hang "$1" | sed -n '1p; /^suspects:/p; /^counters:/p; /^blocked by:/p; /^error of/p; /^digest:/p; /^next:/p'
}
hang='Megascale detects a hang that is likely caused by'
echo "== older"
older "$hang inconsistent TPU programs. This can be caused by some workers running with different JIT functions." INCONSISTENT_TPU_PROGRAM host-3 'Example hosts that have different HLO fingerprints: host-3' >older-program
older "$hang bad TPU chips on the following hosts. Please remove the hosts." BAD_TPU_CHIP host-3 'The host that have bad TPUs are: host-3' >older-chip
older "$hang bad TPU sparse core chips on the following hosts." BAD_SC_CHIP host-3 'The host that have bad TPUs are: host-3' >older-sparse
older "$hang a networking issue." NETWORKING_ISSUE host-3 'The hosts are: host-3, host-9' >older-network
older "$hang data input stall on the" DATA_INPUT_STALL host-3 'following hosts. Please check the workers.
The host that have data input stalls are: host-3, host-4' >older-stall
older "Megascale detects a hang but cannot determine the root cause. Please inspect the full digest below." PROGRAM_NOT_QUEUED host-3 '' >older-queue
older "Megascale detects a hang but cannot determine the root cause. Please inspect the" UNKNOWN_CAUSE host-3 'full digest below.' >older-unknown
for f in older-*; do
	echo "-- $f"
	tell $f
done
echo "== newer"
cat >newer-chip <<-END
	$hang bad TPU tensor core chips on the following hosts. Please remove the hosts from the fleet.
	  The host that have bad TPUs are: host-3
	  Full error digest:
	    Potential cause: Bad TPU chips
	    Potential culprit workers: trainer/3:host-3
	    TPU states:
	      Module: jit_step
	      Fingerprint: f00d
	      Launch ID: 12
	        7:0x0(fusion.3): host-3
	        7:0x9a(all-reduce.[1]): host-1, host-2
	END
cat >newer-network <<-END
	$hang a networking issue. Please examine the underlying networking stack for the following hosts.
	  The hosts are: host-1
	  Full error digest:
	    Potential cause: Networking issue
	    Potential culprit workers: host-1, host-2
	END
cat >newer-module <<-END
	$hang running different modules on different devices. Please confirm that all workers is running the exact same program.
	Example hosts that have different HLO modules: host-4
	Full error digest:
	  Potential cause: Different module
	  Potential culprit workers: host-4
	  TPU stats:
	    host-4: 88
	  TPU states:
	    Module: jit_loss_and_grad
	    Fingerprint: 1111
	    Launch ID: 193
	      5:88(fusion.(odd): name): host-4
	    Module: jit_optimizer_apply
	    Fingerprint: 2222
	    Launch ID: 194
	      5:12(copy.1): host-1, host-2, host-3
	END
cat >newer-fingerprint <<-END
	$hang inconsistent HLO module compilation across workers. This is likely a bug.
	  Example hosts that have different HLO fingerprints: host-2
	  Full error digest:
	    Potential cause: Fingerprint mismatch
	  Potential culprit workers: host-2
	  TPU stats:
	    Module: reduce.31
	    Fingerprint: 0xabc
	    Launch ID: 37
	      1:2(all-gather.4): host-2
	    Module: reduce.31
	    Fingerprint: 0xdef
	    Launch ID: 40
	      1:2(all-gather.4): host-1, host-3
	END
cat >newer-stall <<-END
	$hang data input stall on the
	following hosts. Please check the workers to make sure the data input pipeline
	is working properly.
	  The host that have data input stalls are: host-5
	END
cat >newer-error <<-END
	Some workers have halted with an unrecoverable error:
	  trainer/4:host-4 : INTERNAL: failed to copy from TPU: DMA error at 0x40
	  host-6 : chip lost
	  Please inspect the error log of these workers:
	  trainer/4:host-4
	END
cat >newer-unknown <<-END
	Megascale detects a hang but cannot determine the root cause. Please inspect the
	full digest below.
	Full error digest:
	  Potential cause: Something nobody has seen
	  Some state: red
	END
for f in newer-*; do
	echo "-- $f"
	tell $f
done
echo "== newest"
newest() { # CAUSE CULPRIT
	cat <<-END
	$hang $3
	Full error digest:
	  Potential cause: $1
	  Potential culprit workers: $2
	  First error timestamp: 2026-11-20 21:28:00
	  First error type: HANG_DETECTED
	  TPU states:
	    Launch ID: 811
	    Module: jit_step Fingerprint: c0de
	      Sample worker: 3@host-3:1:0
	    Tag:PC breakdown:
	      2@17:0x1f(all-reduce.7): [3:host-3@1:0, 3:host-3@1:1]
	    Launch ID: 812
	    Module: jit_step Fingerprint: c0de
	      Sample worker: 1@host-1:0:0
	    Tag:PC breakdown:
	      4@17:0x2a(fusion.2): [1:host-1@0:0, 1:host-1@0:1, 2:host-2@0:0, 2:host-2@0:1]
	END
}
newest 'Bad TPU chips' 3 'bad TPU chips on the following hosts.' >newest-chip
newest 'Different module' 3@host-3:1:0 'running different modules on different devices.' >newest-module
newest 'Program not queued' slice0-task3/5 'a program that was not queued.' >newest-queue
for f in newest-*; do
	echo "-- $f"
	tell $f
done
netan hang newest-chip
