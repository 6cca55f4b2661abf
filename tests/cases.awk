# awk -f tests/cases.awk EXPECT.json RESULT.json: what netan check said against
# what a case expects, a line for each fact that differs.
#
#	"outcome": WORD         is the outcome
#	"must": [{...}, ...]    for each some finding has all these members
#	"must_not": [{...}]     no finding has all of these
#	"accused": [{...}]      each accuses somebody who has these members, and
#	                        nobody else is accused; [] accuses nobody
#
# Both files become members[path] = value, as "result.findings.0.id"; strings
# do not span lines.
FNR == 1 { depth = 0; path[0] = ++files == 1 ? "expect" : "is" }

{
	text = $0
	while (match(text, /^[ \t,:]*("([^"\\]|\\.)*"|[^][{}", \t:]+|[][{}])/)) {
		token = substr(text, 1, RLENGTH)
		text = substr(text, RLENGTH + 1)
		sub(/^[ \t,:]*/, "", token)
		take(token)
	}
}

function take(token)
{
	if (token == "}" || token == "]") {
		depth--
	} else if (!is_list[depth] && depth && key == "") {
		key = substr(token, 2, length(token) - 2)
	} else {
		at = path[depth]
		if (depth)
			at = at "." (is_list[depth] ? n_of[path[depth]]++ : key)
		key = ""
		if (token == "{" || token == "[") {
			path[++depth] = at
			is_list[depth] = token == "["
			n_of[at] = 0
		} else {
			members[at] = token
		}
	}
}

# All members below `wanted` stand below `found`, too.
function has_all(found, wanted,    m, at)
{
	for (m in members) {
		at = found substr(m, length(wanted) + 1)
		if (index(m, wanted ".") == 1 &&
		    (!(at in members) || members[at] != members[m]))
			return 0
	}
	return 1
}

function count_of(list, wanted,    i, n)
{
	for (i = 0; i < n_of[list]; i++)
		n += has_all(list "." i, wanted)
	return n + 0
}

function show(at,    m, said)
{
	for (m in members)
		if (index(m, at ".") == 1 && m !~ /evidence|remedy|title|command/)
			said = said " " substr(m, length(at) + 2) "=" members[m]
	return said
}

function differs(what) { print what; wrong = 1 }

END {
	found = "is.result.findings"
	for (m in members)
		if (m ~ /^expect\./ && m !~ /^expect\.(outcome$|(must|must_not|accused)\.)/)
			differs("unknown: " m)
	for (m in n_of)
		if (m ~ /^expect\./ && m !~ /^expect\.(must|must_not|accused)(\.|$)/)
			differs("unknown: " m)
	if (!(found in n_of))
		differs("there is no result")
	if ("expect.outcome" in members &&
	    members["expect.outcome"] != members["is.result.outcome"])
		differs("outcome: " members["is.result.outcome"] ", expected " \
			members["expect.outcome"])
	for (i = 0; i < n_of["expect.must"]; i++)
		if (!count_of(found, "expect.must." i))
			differs("no finding has" show("expect.must." i))
	for (i = 0; i < n_of["expect.must_not"]; i++)
		if (count_of(found, "expect.must_not." i))
			differs("a finding has" show("expect.must_not." i))
	if ("expect.accused" in n_of &&
	    n_of["expect.accused"] != n_of["is.result.accused"] + 0)
		differs(n_of["is.result.accused"] + 0 " accused, expected " \
			n_of["expect.accused"])
	for (i = 0; i < n_of["expect.accused"]; i++)
		if (!count_of("is.result.accused", "expect.accused." i))
			differs("not accused:" show("expect.accused." i))
	for (i = 0; wrong && i < n_of["is.result.accused"]; i++)
		print "accused" show("is.result.accused." i)
	for (i = 0; wrong && i < n_of[found]; i++)
		print "found id=" members[found "." i ".id"] \
			" severity=" members[found "." i ".severity"]
	exit wrong
}
