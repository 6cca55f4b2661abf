# shellcheck shell=sh disable=SC2034  # what is set here is used beside it
# Read by the scripts beside it: `. "$(dirname "$0")/common.sh"`.
#
# Takes the options of all of them from "$@", wherever they stand, and leaves
# what netan gets: INPUTs, --label NAME, filters.
#
#   --parity       read what the notebook reads, the way it does: the host
#                  threads MegascaleEM2_Worker*, each event's time as the
#                  start of its transfer
#   -o DIR         where the files go (default: here)
#   --no-picture   numbers only; also without gnuplot
#   --capacity G   04: Gbit/s that the hosts can receive together ; no
#                  line without it, but 100 with --parity, as the notebook
#   --threshold T  05: what counts as slow (default 1000us)

netan=${NETAN:-netan}
here=$(cd "$(dirname "$0")" && pwd)
parity='' out=. picture=yes capacity='' threshold=1000us

usage()
{
	echo "usage: ${0##*/} [--parity] [-o DIR] [--no-picture]" \
		"[--capacity GBPS] [--threshold TIME] [--label NAME] INPUT..." >&2
	exit 2
}

# Each argument once: what is not ours goes to the end, so that the order stays.
left=$#
while [ "$left" -gt 0 ]; do
	case $1 in
	--parity) parity=yes ;;
	--no-picture) picture='' ;;
	-o | --output | --capacity | --threshold)
		[ "$left" -gt 1 ] || usage
		case $1 in
		-o | --output) out=$2 ;;
		--capacity) capacity=$2 ;;
		*) threshold=$2 ;;
		esac
		shift
		left=$((left - 1))
		;;
	--output=* | --capacity=* | --threshold=*)
		case $1 in
		--output=*) out=${1#*=} ;;
		--capacity=*) capacity=${1#*=} ;;
		*) threshold=${1#*=} ;;
		esac
		;;
	-o?*) out=${1#-o} ;;
	--help | -h) usage ;;
	*) set -- "$@" "$1" ;;
	esac
	shift
	left=$((left - 1))
done
[ $# -gt 0 ] || usage
mkdir -p -- "$out"
[ -z "$parity" ] || set -- --anchor start --line 'MegascaleEM2_Worker*' "$@"

# FILE ARGUMENT...: what awk makes of it takes its place.  A pipe from netan
# would hide that it failed.
rewrite()
{
	file=$1
	shift
	awk -F '\t' -v OFS='\t' "$@" "$file" >"$file.new"
	mv -- "$file.new" "$file"
}

# FILE.tsv COLUMN...: the columns of these names, tab-separated, no header.
columns()
{
	file=$1
	shift
	awk -F '\t' -v OFS='\t' -v want="$*" '
	NR == 1 { n = split(want, name, " ")
		for (i = 1; i <= NF; i++) at[$i] = i
		next }
	{ for (i = 1; i <= n; i++)
		printf "%s%s", (i > 1 ? OFS : ""),
			(name[i] in at ? $at[name[i]] : "")
	  print "" }' "$file"
}

# NAME [WORD]: draws NAME.png with NAME.gp, both fixed: data reach gnuplot as
# files in its own folder and WORD as the string ARG1, never as code.
draw()
{
	if [ -z "$picture" ]; then
		return
	elif command -v gnuplot >/dev/null 2>&1; then
		(cd -- "$out" && gnuplot -c "$here/$1.gp" "${2-}") && echo "$out/$1.png"
	else
		echo "skip: gnuplot is not installed (package gnuplot-nox)" >&2
	fi
}
