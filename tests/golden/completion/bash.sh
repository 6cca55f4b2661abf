# The script, in a real bash.
netan completion bash >script
bash -n script || exit 1
cat >try.bash <<'END'
. ./script
try()
{
	COMP_WORDS=("$@")
	COMP_CWORD=$(($# - 1))
	COMPREPLY=()
	_netan
	echo "$*: ${COMPREPLY[*]}"
}
try netan ti
try netan --v
try netan timeline --form
try netan timeline --format ''
try netan timeline --format c
try netan timeline --format = t
try netan timeline --color =
try netan timeline --anchor s
try netan timeline -o ''
try netan timeline ''
try netan timeline x --strict --inc
try netan completion ''
try netan help synt
try netan help --s
try netan help --tables tr
try netan pairs --by src,
try netan sizes --table ''
try netan pairs --table pa
try netan synth --without lo
try netan timeline --capacity ''
END
bash try.bash
