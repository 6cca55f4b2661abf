# A culprit is told once, with all that is known: the digest names a task, the
# verdict lists its host.  Two tasks of one host are two.
cat >task.log <<'LOG'
Megascale detects a hang that is likely caused by bad TPU chips on the following hosts: host-a.
  The host that have bad TPUs are: host-a
Full error digest:
  Potential cause: Bad TPU chips
  Potential culprit workers: 7
  TPU states:
    Launch ID: 5
    Module: m Fingerprint: f
    Tag:PC breakdown:
      TC0@0x4(x): [7:host-a@1:0, 8:host-b@0:0]
LOG
netan hang task.log
cat >tasks.log <<'LOG'
Full error digest:
  Potential cause: Bad TPU chips
  Potential culprit workers: job/1:host-a, job/2:host-a
LOG
netan hang tasks.log
