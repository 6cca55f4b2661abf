# The first line alone is the version; what it is built from and with is said
# behind it, and is this machine's.
netan --version | sed 1q
netan -V | sed 1q
netan --version >all
sed 's/: .*//' all | grep -v '^MPI$'
sed -n 's/^commit: //p' all | grep -c -x -E \
	'unknown|[0-9a-f]{7,40} \([0-9]{4}(-[0-9]{2}){2}\)( and changes since)?'
sed -n 's/^compiler: //p' all | grep -c -E '^(gcc|clang) .*[0-9]'
# Each library says a number.
sed -n 's/^libraries: //p' all | sed 's/, /\n/g' | sed -E 's/ [0-9]+(\.[0-9]+)+$/ N/'
# With -v also what holds of the sandbox, last.
netan --version -v | tail -n 1 | sed 's/: .*//'
netan --version --verbose | sed '$d' | cmp - all
