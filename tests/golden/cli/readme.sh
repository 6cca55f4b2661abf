# The README's sample is what netan prints, in a terminal of 80 columns.
sed -n '/^\$ netan /,/^```$/p' "$NETAN_ROOT/README.md" | sed '/^```$/,$d' >sample
grep '^\$ ' sample | sed 's/^\$ //' >commands
grep -v '^\$ ' sample >wanted
COLUMNS=80 sh commands >found
head -n "$(wc -l <wanted)" found | diff wanted - && echo same
wc -l <commands
sed "s/$(printf '\342\200\257')/ /g" wanted | awk 'length($0) > 80' # of characters
