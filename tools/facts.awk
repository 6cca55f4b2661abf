# What facts.def and en.def become: facts.h, with the ids of facts and a
# constructor for each.
#
#	awk -f tools/facts.awk netan/phrases/facts.def netan/phrases/en.def
#
# Fails where a fact has no template or a template no fact, where a template
# names an argument that the fact does not have, does not use one, or leaves a
# bracket open.

BEGIN {
	type["count"] = type["integer"] = "int64_t"
	type["number"] = type["factor"] = type["percent"] = type["seconds"] = "double"
	type["chance"] = type["bytes"] = type["rate"] = "double"
	type["flag"] = "bool"
	type["host"] = type["text"] = "const char *"
	member["int64_t"] = "integer"
	member["double"] = "number"
	member["bool"] = "integer"
	member["const char *"] = "text"
	most = 10
}

function fail(text) {
	print FILENAME ":" FNR ": " text >"/dev/stderr"
	failed = 1
	exit 1
}

# A row may have several lines and literals: their texts are joined.
/^(FACT|EN)\(/ { row = "" }
{ row = row $0 }
row ~ /^(FACT|EN)\(.*"\)$/ {
	kind = substr(row, 1, index(row, "(") - 1)
	id = row
	sub(/^[A-Z]+\(/, "", id)
	sub(/,.*/, "", id)
	sub(/^[^"]*"/, "", row)
	sub(/"\)$/, "", row)
	gsub(/"[ \t]*"/, "", row)
	if (kind == "FACT") {
		if (id in args)
			fail("fact " id " has two rows")
		order[++n] = id
		args[id] = row
		check_args(id, row)
	} else {
		if (!(id in args) || id in text)
			fail("fact " id (id in text ? " has two templates" : " has no row in facts.def"))
		text[id] = row
		check_text(id, row)
	}
	row = ""
}
/^[ \t]*$|\*\/$/ { row = "" }

function check_args(id, row,    part, k, m, of) {
	m = split(row, part, " ")
	if (m > most)
		fail("fact " id " has more than " most " arguments")
	for (k = 1; k <= m; k++) {
		split(part[k], of, ":")
		if (!(of[2] in type))
			fail("argument " of[1] " of fact " id ": no type " of[2])
	}
}

function check_text(id, text,    part, k, m, of, used, name) {
	m = split(args[id], part, " ")
	gsub(/\{\{|\[\[/, "", text)
	if (gsub(/\[/, "[", text) != gsub(/\]/, "]", text) ||
	    gsub(/\{/, "{", text) > gsub(/\}/, "}", text))
		fail("the template of fact " id " does not close a bracket")
	while (match(text, /\{[a-z_0-9]*/)) {
		name = substr(text, RSTART + 1, RLENGTH - 1)
		used[name] = 1
		text = substr(text, RSTART + RLENGTH)
	}
	for (k = 1; k <= m; k++) {
		split(part[k], of, ":")
		if (!(of[1] in used))
			fail("the template of fact " id " does not use " of[1])
		delete used[of[1]]
	}
	for (name in used)
		fail("the template of fact " id " uses " name ", which is no argument")
}

function put(id,    part, k, m, of, list, init, c) {
	m = split(args[id], part, " ")
	for (k = 1; k <= m; k++) {
		split(part[k], of, ":")
		c = type[of[2]]
		list = list (k > 1 ? ", " : "") c (c ~ /\*$/ ? "" : " ") of[1]
		init = init (k > 1 ? ", " : "") "{." member[c] " = " of[1] "}"
	}
	printf "static inline struct na_fact na_fact_%s(%s)\n{\n", id, m ? list : "void"
	printf "\treturn (struct na_fact){NA_FACT_%s, {%s}};\n}\n", id, m ? init : "{.integer = 0}"
}

END {
	if (failed)
		exit 1
	print "/* Generated from facts.def by tools/facts.awk. */"
	print "#ifndef GEN_FACTS_H\n#define GEN_FACTS_H\n"
	print "#include \"netan/phrases/phrases.h\"\n\nenum na_fact_id {\n\tNA_NO_FACT,"
	for (k = 1; k <= n; k++) {
		if (!(order[k] in text)) {
			print "fact " order[k] " has no row in en.def" >"/dev/stderr"
			exit 1
		}
		print "\tNA_FACT_" order[k] ","
	}
	print "\tNA_FACTS\n};\n"
	for (k = 1; k <= n; k++)
		put(order[k])
	print "\n#endif"
}
