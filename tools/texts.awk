# Files as C strings: awk -f tools/texts.awk NAME.css NAME.js
#
# DIR/page.css becomes `const char na_page_css[]`.

# gsub() treats backslashes differently in every awk; split() does not.
function escaped(line, mark, with,    parts, n, k, out) {
	n = split(line, parts, mark)
	out = parts[1]
	for (k = 2; k <= n; k++)
		out = out with parts[k]
	return out
}

FNR == 1 {
	name = FILENAME
	sub(/.*\//, "", name)
	sub(/\./, "_", name)
	printf "%sextern const char na_%s[];\nconst char na_%s[] =\n", \
		(any ? ";\n" : ""), name, name
	any = 1
}

{
	line = escaped($0, "\\\\", "\\\\")
	line = escaped(line, "\"", "\\\"")
	printf "\t\"%s\\n\"\n", line
}

END { print ";" }
