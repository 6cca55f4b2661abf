# As one of many tasks of a launcher: nothing is done many times.  Where each
# task has work of its own, as with capture or ingest, nothing changes.
cp "$(command -v netan)" "$PWD"
here=$PWD
PATH=/usr/bin:/bin
say() { echo "$*: status $?"; }
unset OMPI_COMM_WORLD_SIZE PMI_SIZE SLURM_STEP_NUM_TASKS
echo '* nobody to hand over to'
export OMPI_COMM_WORLD_SIZE=64
OMPI_COMM_WORLD_RANK=0 ./netan check traces 2>&1
say 'first task'
OMPI_COMM_WORLD_RANK=63 ./netan check traces 2>&1
say 'last task'
OMPI_COMM_WORLD_RANK=0 ./netan tcp job.pcap 2>&1
say 'not a command of netan-mpi'
for words in '--version' 'ingest' 'synth --bad' 'sysctl --bad' 'nothing'; do
	# shellcheck disable=SC2086  # words
	OMPI_COMM_WORLD_RANK=1 ./netan $words 2>&1 | head -n 1
done
echo '* a job of one task'
OMPI_COMM_WORLD_SIZE=1 OMPI_COMM_WORLD_RANK=0 ./netan info 2>&1 | head -n 1
echo '* netan-mpi beside it, or in PATH'
printf '#!/bin/sh\necho "netan-mpi is told: $*"\nexit 3\n' >netan-mpi
chmod +x netan-mpi
OMPI_COMM_WORLD_RANK=5 ./netan check 'my traces' --fail-on error
say hand-over
mkdir bin
mv netan-mpi bin
PATH=$here/bin:$PATH
OMPI_COMM_WORLD_RANK=5 ./netan latency traces
say hand-over
unset OMPI_COMM_WORLD_SIZE
echo '* other launchers'
PMI_SIZE=2 PMI_RANK=1 ./netan info x
SLURM_STEP_NUM_TASKS=2 SLURM_PROCID=1 ./netan info x
echo '* none: no rank, one task, nonsense'
PMI_SIZE=2 ./netan info 2>&1 | head -n 1
SLURM_STEP_NUM_TASKS=1 SLURM_PROCID=0 ./netan info 2>&1 | head -n 1
PMI_SIZE=-2 PMI_RANK=x ./netan info 2>&1 | head -n 1
PMI_SIZE=99999999999999999999 PMI_RANK=0 ./netan info 2>&1 | head -n 1
echo '* options of netan-mpi'
netan=./netan
$netan check --local '/local/*.pb' 2>&1
say local
