# The examples run as they are.
# Not sanitized: commands that other cases run sanitized.
for f in "$NETAN_ROOT"/examples/*.sh; do
	mkdir "${f##*/}.d"
	(cd "${f##*/}.d" && sh "$f" >out 2>err)
	echo "${f##*/}: exit $?"
	cat "${f##*/}.d/err"
	ls "${f##*/}.d" | grep '\.\(svg\|json\)$'
done
