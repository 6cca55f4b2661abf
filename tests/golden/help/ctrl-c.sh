# What Ctrl-C makes of a command: a partial result, or nothing.
for c in $(netan --help | sed -n 's/^  \([a-z-]*\)  .*/\1/p'); do
	netan $c --help | sed -n "s/^Ctrl-C: \([^(]*\).*/$c: \1/p"
done
