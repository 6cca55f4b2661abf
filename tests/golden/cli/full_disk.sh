# A full disk is an error that names the file; a closed pipe is none.
[ -c /dev/full ] || { echo "skip: there is no /dev/full"; exit 77; }
netan --help >/dev/full
echo "exit $?"
netan completion bash >/dev/full
echo "exit $?"
netan --version >&-
echo "exit $?"
{ netan completion bash; echo "exit $?" >&2; } | :
