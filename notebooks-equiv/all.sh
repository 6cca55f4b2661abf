#!/bin/sh
# All sections of the notebook, with the same arguments.
#
#	all.sh [--parity] [-o DIR] [--no-picture] INPUT...
here=$(cd "$(dirname "$0")" && pwd)
status=0
for section in "$here"/0?_*.sh; do
	sh "$section" "$@" || status=1
done
exit $status
