# JSON Schemas as C: awk -f tools/schemas.awk common.json OTHER.json
#
# common.json, which comes first, holds the definitions that every schema
# shares; its members are
# put behind the line `  "$defs": {` of each other file.

# gsub() treats backslashes differently in every awk; split() does not.
function escaped(line, mark, with,    parts, n, k, out) {
	n = split(line, parts, mark)
	out = parts[1]
	for (k = 2; k <= n; k++)
		out = out with parts[k]
	return out
}

function put(line) {
	line = escaped(line, "\\\\", "\\\\")
	line = escaped(line, "\"", "\\\"")
	printf "\t\"%s\\n\"\n", line
}

function start(file) {
	if (!any)
		print "#include \"netan/cli/common.h\"\n\n" \
			"const struct na_schema na_schemas[] = {"
	else
		print "\t},"
	any = 1
	sub(/.*\//, "", file)
	sub(/\.json$/, "", file)
	printf "\t{\"%s\",\n", file
}

FNR == 1 { in_common = FILENAME ~ /(^|\/)common\.json$/ }

# Without the outer braces, one level further in.
in_common {
	if ($0 != "{" && $0 != "}")
		common[n_common++] = "  " $0
	next
}

FNR == 1 { start(FILENAME) }

{ put($0) }

$0 == "  \"$defs\": {" {
	for (k = 0; k < n_common; k++)
		put(common[k] (k == n_common - 1 ? "," : ""))
}

END {
	if (any)
		print "\t},"
	else
		print "#include \"netan/cli/common.h\"\n\n" \
			"const struct na_schema na_schemas[] = {"
	print "\t{NULL, NULL}\n};"
}
