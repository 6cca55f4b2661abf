# The names in a JSON Schema as `netan help --schema` prints it, one on each
# line with its place:
#
#	json COMMAND PATH TYPE          a.b.c; [] of each item; * of any name
#	json COMMAND PATH = WORD        one of the words that it may be
#
#	netan help --schema COMMAND | awk -f names.awk -v command=COMMAND

# ---- the schema, flat: value["/a/b/0"], and the names below each place

function skip() { while (substr(text, at, 1) ~ /[ \t\n]/) at++ }
function string(   start)
{
	start = ++at
	while (substr(text, at, 1) != "\"")
		at += substr(text, at, 1) == "\\" ? 2 : 1
	return substr(text, start, at++ - start)
}
function put(path, name) { below[path] = below[path] name "\n"; return path "/" name }
function read_value(path,   c, n, name)
{
	skip()
	c = substr(text, at, 1)
	if (c == "{" || c == "[") {
		at++
		for (skip(); substr(text, at, 1) !~ /[]}]/; skip()) {
			name = n++
			if (c == "{") {
				name = string()
				skip()
				at++
			}
			read_value(put(path, name))
			skip()
			if (substr(text, at, 1) == ",")
				at++
		}
		at++
		value[path] = c
	} else if (c == "\"") {
		value[path] = string()
	} else {
		match(substr(text, at), /^[^],} \t\n]+/)
		value[path] = substr(text, at, RLENGTH)
		at += RLENGTH
	}
}

# ---- what it says

function is(path, what) { return path in value && value[path] == what }
function tell(path, what) { if (path != "") print "json", command, substr(path, 2), what }
function types_of(at, path,   n, i, type)
{
	if (is(at "/type", "["))
		n = split(below[at "/type"], type, "\n") - 1
	for (i = 1; i <= n; i++)
		tell(path, value[at "/type/" type[i]])
	if (at "/type" in value && !n)
		tell(path, value[at "/type"])
	if (at "/const" in value)
		tell(path, "= " value[at "/const"])
	n = split(below[at "/enum"], type, "\n") - 1
	for (i = 1; i <= n; i++)
		tell(path, "= " value[at "/enum/" type[i]])
}
# The schema at `at` says what `path` is; a schema within itself is told once.
function walk(at, path,   n, i, name, to)
{
	if (at "/$ref" in value) {
		to = value[at "/$ref"]
		sub(/^#/, "", to)
		if (inside[to]++ == 0)
			walk(to, path)
		inside[to]--
	}
	types_of(at, path)
	n = split("allOf anyOf oneOf", name, " ")
	for (i = 1; i <= n; i++)
		walk_all(at "/" name[i], path, "")
	walk_all(at "/properties", path, ".")
	if (at "/items" in value)
		walk(at "/items", path "[]")
	if (is(at "/additionalProperties", "{"))
		walk(at "/additionalProperties", path ".*")
}
function walk_all(at, path, point,   n, i, name)
{
	n = split(below[at], name, "\n") - 1
	for (i = 1; i <= n; i++)
		walk(at "/" name[i], point == "" ? path : path point name[i])
}
{ text = text $0 "\n" }
END {
	at = 1
	read_value("")
	walk("", "")
}
