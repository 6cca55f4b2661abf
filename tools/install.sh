#!/bin/sh
# Puts the program, its man pages, JSON schemas and shell completions below
# ROOT (DESTDIR and PREFIX joined); -u takes them away again.  The pages,
# schemas and completions come from the program itself.  PROGRAM-mpi goes with
# it where it was built.
#
#	tools/install.sh [-u] PROGRAM ROOT
set -eu

remove=
if [ "$1" = -u ]; then
	remove=yes
	shift
fi
program=$1
root=$2
man=$root/share/man/man1
schema=$root/share/netan/schema
commands=$(cd "$(dirname "$0")/../netan" &&
	sed -n -E 's/^NA_(COMMAND|ANALYSIS|PACKET_ANALYSIS)\(([a-z_]*).*/\2/p' \
		cli/commands.def analyses/analyses.def | tr _ -)

# FILE COMMAND...: what the command prints becomes FILE; nothing, no file.
put()
{
	file=$1
	shift
	if [ -n "$remove" ]; then
		rm -f "$file"
		return
	fi
	mkdir -p "$(dirname "$file")"
	if "$@" >"$file.new" </dev/null && [ -s "$file.new" ]; then
		chmod 644 "$file.new"
		mv "$file.new" "$file"
	else
		rm -f "$file.new"
		echo "install: nothing to put in $file" >&2
		exit 1
	fi
}

if [ -n "$remove" ]; then
	rm -f "$root/bin/netan" "$root/bin/netan-mpi"
else
	mkdir -p "$root/bin"
	install -m 755 "$program" "$root/bin/netan"
	if [ -x "$program-mpi" ]; then
		install -m 755 "$program-mpi" "$root/bin/netan-mpi"
	fi
fi
put "$man/netan.1" "$program" help --man netan
if [ -n "$remove" ] || [ -x "$program-mpi" ]; then
	put "$man/netan-mpi.1" "$program" help --man netan-mpi
fi
for c in $commands; do
	put "$man/netan-$c.1" "$program" help --man "$c"
	if [ -n "$remove" ] || "$program" help --schema "$c" >/dev/null 2>&1
	then
		put "$schema/$c.json" "$program" help --schema "$c"
	fi
done
put "$root/share/bash-completion/completions/netan" "$program" completion bash
put "$root/share/zsh/site-functions/_netan" "$program" completion zsh
put "$root/share/fish/vendor_completions.d/netan.fish" "$program" completion fish
# What a transfer file holds, for those who read it themselves.
put "$root/share/netan/netan.proto" \
	cat "$(dirname "$0")/../ingest/proto/netan.proto"
if [ -n "$remove" ]; then
	rmdir "$schema" "$root/share/netan" 2>/dev/null || :
fi
[ -n "$remove" ] || echo "installed below $root"
