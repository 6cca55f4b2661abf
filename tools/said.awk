# Words of the program's own sentences, sorted, as rows of a C array:
#
#	awk -f tools/said.awk FILE...
#
# A sentence is a string with a blank in it; a word of one is of small letters
# alone, and joined to no others by "-", "_", "." or "/".

# The words of a string.
function add(text,    words, n, i, w) {
	gsub(/%[-+ #0-9.*]*[hlzjt]*[a-zA-Z]/, " ", text)
	gsub(/\{[a-z_0-9]+/, " ", text) # arguments of en.def
	gsub(/\\./, " ", text)
	n = split(text, words, /[^-A-Za-z0-9_.\/]+/)
	for (i = 1; i <= n; i++) {
		w = words[i]
		sub(/\.+$/, "", w)
		if (w ~ /^[a-z][a-z]+$/)
			seen[w] = 1
	}
}

{
	line = $0
	while (match(line, /"([^"\\]|\\.)*"/)) {
		text = substr(line, RSTART + 1, RLENGTH - 2)
		if (text ~ / /)
			add(text)
		line = substr(line, RSTART + RLENGTH)
	}
}

END {
	sort = "LC_ALL=C sort"
	for (w in seen)
		printf "\"%s\",\n", w | sort
	close(sort)
}
