#include "ingest/host/settings.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/host/routes.h"
#include "netan/base/text.h"
#include "netan/base/vec.h"

enum { TEXT_MAX = 200 }; /* of one value, or a host's name */

struct reading {
	struct na_settings *s;
	const struct na_settings_from *from;
	struct na_chroot root;
	const char *unreadable; /* what a snapshot says of itself, or NULL */
	struct na_err *err;     /* memory alone */
};

static const char *keep_text(struct reading *g, const char *text, size_t n)
{
	const char *copy = na_arena_strn(&g->s->arena, text, n);

	if (!copy)
		na_fail_nomem(g->err);
	return copy ? copy : "";
}

static bool keep_file(struct reading *g, const char *path, const char *bytes,
		      size_t n)
{
	struct na_settings *s = g->s;

	path = keep_text(g, path, strlen(path));
	if (!na_grow(&s->files, &s->cap_files, s->n_files + 1,
		     sizeof(*s->files))) {
		na_fail_nomem(g->err);
		return false;
	}
	s->files[s->n_files++] = (struct na_settings_file){path, bytes, n};
	s->bytes += n;
	return true;
}

static void keep_refused(struct reading *g, const char *path)
{
	struct na_settings *s = g->s;

	path = keep_text(g, path, strlen(path));
	if (na_grow(&s->refused, &s->cap_refused, s->n_refused + 1,
		    sizeof(*s->refused)))
		s->refused[s->n_refused++] = path;
	else
		na_fail_nomem(g->err);
}

static bool was_unreadable(const struct reading *g, const char *path)
{
	size_t n = strlen(path);

	for (const char *s = g->unreadable; s && *s;
	     s += strcspn(s, "\n"), s += *s == '\n') {
		if (strcspn(s, "\n") == n && memcmp(s, path, n) == 0)
			return true;
	}
	return false;
}

/* The bytes of a file, or NULL and why not. */
static const char *file(struct reading *g, const char *path, size_t most,
			size_t *n, const char **why, bool *absent)
{
	struct na_err err = {.status = NA_OK};
	const char *bytes;
	enum na_status st = na_chroot_read(&g->root, path, most, &g->s->arena,
					   &bytes, n, &err);

	*absent = st == NA_END;
	if (st == NA_ENOMEM)
		na_fail_nomem(g->err);
	if (st == NA_OK && keep_file(g, path, bytes, *n))
		return bytes;
	*why = keep_text(g, err.text, strlen(err.text));
	if (*absent && was_unreadable(g, path)) {
		*absent = false;
		*why = "could not be read when the snapshot was taken";
	}
	if (!*absent)
		keep_refused(g, path);
	return NULL;
}

/* ---- one value */

bool na_settings_numbers(const char *text, int64_t *v, size_t count)
{
	const char *s = text;

	for (size_t i = 0; i < count; i++) {
		bool minus;
		int64_t x = 0;

		s += strspn(s, " \t\n\r");
		minus = *s == '-';
		s += minus;
		if (!isdigit((unsigned char)*s))
			return false;
		for (; isdigit((unsigned char)*s); s++) {
			if (__builtin_mul_overflow(x, 10, &x) ||
			    __builtin_sub_overflow(x, *s - '0', &x))
				return false;
		}
		if (!minus && __builtin_sub_overflow(0, x, &x))
			return false;
		v[i] = x;
		if (*s && !strchr(" \t\n\r", *s))
			return false;
	}
	return !s[strspn(s, " \t\n\r")];
}

/* One line of plain text, runs of blanks as one; NULL: it is none. */
static const char *one_line(struct reading *g, const char *bytes, size_t n,
			    const char **why)
{
	char out[TEXT_MAX + 1];
	size_t m = 0;

	while (n && strchr(" \t\n\r", bytes[n - 1]) && bytes[n - 1])
		n--;
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)bytes[i];

		if (c == ' ' || c == '\t') {
			if (m && out[m - 1] != ' ' && m < TEXT_MAX)
				out[m++] = ' ';
			continue;
		}
		if (c < 0x20 || c == 0x7f || m == TEXT_MAX) {
			*why = m == TEXT_MAX ? "is too long for a value"
					     : "is not one line of text";
			return NULL;
		}
		out[m++] = (char)c;
	}
	*why = !m                      ? "is empty"
	       : na_utf8_valid(out, m) ? NULL
				       : "is not one line of text";
	return *why ? NULL : keep_text(g, out, m);
}

static struct na_setting_value fact(struct reading *g, const char *path,
			   unsigned numbers)
{
	struct na_setting_value f = {.text = NULL};
	size_t n;
	const char *bytes = file(g, path, NA_SETTING_BYTES, &n, &f.why,
				 &f.absent);

	if (!bytes)
		return f;
	f.text = one_line(g, bytes, n, &f.why);
	if (f.text && numbers && !na_settings_numbers(f.text, f.v, numbers)) {
		f.text = NULL;
		f.why = numbers == 1 ? "is not a number"
				     : "is not three numbers";
	}
	return f;
}

static void read_settings(struct reading *g)
{
	/* clang-format off */
	static const struct {
		const char *path;
		unsigned numbers;
	} rows[NA_N_SETTINGS] = {
#define NA_SETTING(id, name, path, numbers) [NA_SET_##id] = {path, numbers},
#include "netan/model/hosts/settings.def"
#undef NA_SETTING
	};
	/* clang-format on */

	for (size_t i = 0; i < NA_N_SETTINGS; i++)
		g->s->setting[i] = fact(g, rows[i].path, rows[i].numbers);
}

/* ---- NICs */

static struct na_setting_value nic_fact(struct reading *g, const char *nic,
			       const char *name, unsigned numbers)
{
	char path[600];

	snprintf(path, sizeof(path), "sys/class/net/%.255s/%s", nic, name);
	return fact(g, path, numbers);
}

static int64_t nic_number(struct reading *g, const char *nic, const char *name)
{
	struct na_setting_value f = nic_fact(g, nic, name, 1);

	return f.text && f.v[0] >= 0 ? f.v[0] : NA_NOT_KNOWN;
}

/* "DRIVER=gve" in the device's uevent. */
static void read_device(struct reading *g, struct na_nic *x)
{
	static const char key[] = "DRIVER=";
	char path[600];
	const char *bytes, *why, *s;
	size_t n;
	bool absent;

	snprintf(path, sizeof(path), "sys/class/net/%.255s/device", x->name);
	if (!na_chroot_has_dir(&g->root, path))
		return;
	x->kind = NA_NIC_PHYSICAL;
	snprintf(path, sizeof(path), "sys/class/net/%.255s/device/uevent",
		 x->name);
	bytes = file(g, path, NA_SETTING_BYTES, &n, &why, &absent);
	if (!bytes)
		return;
	for (s = bytes; *s; s += strcspn(s, "\n"), s += *s == '\n') {
		if (strncmp(s, key, strlen(key)) != 0)
			continue;
		s += strlen(key);
		x->driver = one_line(g, s, strcspn(s, "\r\n"), &why);
		return;
	}
}

/* Names that the kernel and container runtimes give to what is no NIC. */
static bool virtual_name(const char *name)
{
	static const char *const begins[] = {
		"docker", "veth",      "br-",    "br0",     "virbr",
		"cni",    "cali",      "cilium", "flannel", "lxc",
		"kube",   "nodelocal", "dummy",  "ifb",     "tun",
		"tap",    "wg",        "vxlan",  "geneve",  "gre",
		"erspan", "sit",       "ip6",    "ip_vti",  "gke",
	};

	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++) {
		if (strncmp(name, begins[i], strlen(begins[i])) == 0)
			return true;
	}
	return false;
}

/* A host tells each interface's type, and a device behind it where there is
 * one.  A bundle that kept neither leaves only the name. */
static void read_kind(struct reading *g, struct na_nic *x)
{
	enum { LOOPBACK = 772 }; /* ARPHRD_LOOPBACK */
	int64_t type = LOOPBACK;

	if (strcmp(x->name, "lo") != 0)
		type = nic_number(g, x->name, "type");
	x->kind = type == LOOPBACK ? NA_NIC_LOOPBACK : NA_NIC_VIRTUAL;
	if (x->kind == NA_NIC_LOOPBACK)
		return;
	read_device(g, x);
	if (x->kind == NA_NIC_VIRTUAL && type == NA_NOT_KNOWN &&
	    !virtual_name(x->name))
		x->kind = NA_NIC_PHYSICAL;
}

static void read_nic(struct reading *g, struct na_nic *x, const char *name)
{
	char path[64];

	x->name = name;
	read_kind(g, x);
	x->state = nic_fact(g, name, "operstate", 0).text;
	x->mtu_bytes = nic_number(g, name, "mtu");
	x->speed_mbps = nic_number(g, name, "speed");
	for (size_t i = 0; i < NA_N_NIC_COUNTERS; i++) {
		snprintf(path, sizeof(path), "statistics/%s",
			 na_nic_counters[i]);
		x->counter[i] = nic_number(g, name, path);
	}
}

/* Files beside the NICs (bonding_masters) are none. */
static bool is_nic(struct reading *g, const char *name)
{
	char path[600];

	if (!na_utf8_valid(name, strlen(name)))
		return false;
	snprintf(path, sizeof(path), "sys/class/net/%.255s", name);
	return na_chroot_has_dir(&g->root, path);
}

static void read_nics(struct reading *g)
{
	struct na_settings *s = g->s;
	struct na_err err = {.status = NA_OK};
	const char **names;
	size_t n;

	if (na_chroot_list(&g->root, "sys/class/net", &s->arena, &names, &n,
			   &err) != NA_OK) {
		if (err.status == NA_ENOMEM)
			na_fail_nomem(g->err);
		s->nics_why = keep_text(g, err.text, strlen(err.text));
		free(names);
		return;
	}
	s->nics_why = NULL;
	s->nics = na_arena_alloc(&s->arena,
				 (n < NA_NICS_MAX ? n : NA_NICS_MAX) *
						 sizeof(*s->nics) +
					 1);
	if (!s->nics)
		na_fail_nomem(g->err);
	for (size_t i = 0; s->nics && i < n; i++) {
		if (!is_nic(g, names[i]))
			continue;
		if (s->n_nics == NA_NICS_MAX)
			s->nics_left_out++;
		else
			read_nic(g, &s->nics[s->n_nics++], names[i]);
	}
	free(names);
}

/* ---- TCP's counters */

/* The line that begins with "PREFIX:", from *at on; its end in *end. */
static const char *line_of(const char **at, const char *stop,
			   const char *prefix, const char **end)
{
	size_t n = strlen(prefix);

	while (*at < stop) {
		const char *s = *at;

		*end = memchr(s, '\n', (size_t)(stop - s));
		*end = *end ? *end : stop;
		*at = *end < stop ? *end + 1 : stop;
		if ((size_t)(*end - s) > n && memcmp(s, prefix, n) == 0 &&
		    s[n] == ':')
			return s + n + 1;
	}
	return NULL;
}

static bool next_field(const char **s, const char *end, const char **field,
		       size_t *n)
{
	while (*s < end && **s == ' ')
		++*s;
	*field = *s;
	while (*s < end && **s != ' ')
		++*s;
	*n = (size_t)(*s - *field);
	return *n > 0;
}

bool na_settings_counter(const char *text, size_t n, const char *prefix,
			 const char *name, int64_t *v)
{
	const char *at = text, *stop = text + n, *end, *end2, *f, *x;
	const char *names = line_of(&at, stop, prefix, &end);
	const char *numbers = line_of(&at, stop, prefix, &end2);
	size_t m, k;
	char word[32];

	while (names && numbers && next_field(&names, end, &f, &m) &&
	       next_field(&numbers, end2, &x, &k)) {
		if (m != strlen(name) || memcmp(f, name, m) != 0)
			continue;
		if (k >= sizeof(word) || memchr(x, '\0', k))
			return false;
		memcpy(word, x, k);
		word[k] = '\0';
		return na_settings_numbers(word, v, 1);
	}
	return false;
}

static void read_counters(struct reading *g)
{
	/* clang-format off */
	static const struct {
		const char *path, *prefix;
	} files[2] = {
		{"proc/net/snmp", "Tcp"}, {"proc/net/netstat", "TcpExt"},
	};
	/* clang-format on */
	struct na_settings *s = g->s;
	const char *text[2], *why = "";
	char said[300];
	size_t n[2];
	bool absent;

	for (size_t i = 0; i < 2; i++) {
		text[i] = file(g, files[i].path, NA_COUNTERS_BYTES, &n[i], &why,
			       &absent);
		if (text[i])
			snprintf(said, sizeof(said), "%s does not have it",
				 files[i].path);
		else
			snprintf(said, sizeof(said), "%s %.200s", files[i].path,
				 why);
		s->counters_why[i] = keep_text(g, said, strlen(said));
	}
	for (size_t i = 0; i < NA_N_TCP_COUNTERS; i++) {
		int from = na_tcp_counter_file((enum na_tcp_counter)i);
		int64_t v;

		if (text[from] &&
		    na_settings_counter(text[from], n[from], files[from].prefix,
					na_tcp_counters[i], &v) &&
		    v >= 0)
			s->counter[i] = v;
	}
}

/* ---- the host, its routes */

static void read_host(struct reading *g)
{
	/* clang-format off */
	static const char *const paths[] = {
		"hostname", "proc/sys/kernel/hostname", "etc/hostname",
	};
	/* clang-format on */
	const char *s = g->from->root, *end = s + strlen(s);

	for (size_t i = 0; i < 3 && !g->s->host; i++) {
		if (!g->from->live || i == 1)
			g->s->host = fact(g, paths[i], 0).text;
	}
	if (g->s->host || !g->from->by_directory)
		return;
	while (end > s && end[-1] == '/')
		end--;
	for (const char *p = s; p < end; p++)
		s = *p == '/' ? p + 1 : s;
	g->s->host = keep_text(g, s, (size_t)(end - s));
}

static enum na_status given_routes(struct reading *g, struct na_err *err)
{
	struct na_settings *s = g->s;

	if (na_routes_parse(&s->routes, &s->arena, g->from->routes,
			    g->from->routes_bytes, err) != NA_OK)
		return err->status;
	keep_file(g, NA_ROUTES_FILE, g->from->routes, g->from->routes_bytes);
	return NA_OK;
}

static void live_routes(struct reading *g)
{
	struct na_settings *s = g->s;
	struct na_err err = {.status = NA_OK};
	const char *text;
	size_t n;

	if (na_routes_live(&s->routes, &s->arena, &err) != NA_OK) {
		s->routes.why = keep_text(g, err.text, strlen(err.text));
		return;
	}
	text = na_routes_text(&s->routes, &s->arena, &n);
	if (!text)
		na_fail_nomem(g->err);
	else
		keep_file(g, NA_ROUTES_FILE, text, n);
}

static void saved_routes(struct reading *g)
{
	struct na_settings *s = g->s;
	struct na_err err = {.status = NA_OK};
	const char *why = NULL, *text;
	bool absent;
	size_t n;

	text = file(g, NA_ROUTES_FILE, NA_ROUTES_BYTES, &n, &why, &absent);
	if (text &&
	    na_routes_parse(&s->routes, &s->arena, text, n, &err) == NA_OK)
		return;
	if (err.status == NA_ENOMEM)
		na_fail_nomem(g->err);
	s->routes.why = absent ? "routes were not saved"
			: why  ? why
			       : keep_text(g, err.text, strlen(err.text));
}

static void read_unreadable(struct reading *g)
{
	struct na_err err = {.status = NA_OK};
	size_t n;

	if (g->from->live ||
	    na_chroot_read(&g->root, NA_REFUSED_FILE, NA_COUNTERS_BYTES,
			   &g->s->arena, &g->unreadable, &n, &err) != NA_OK)
		g->unreadable = NULL;
}

enum na_status na_settings_read(struct na_settings *s,
				const struct na_settings_from *from,
				struct na_err *err)
{
	struct reading g = {.s = s, .from = from, .err = err};

	na_settings_init(s);
	if (na_chroot_open(&g.root, from->root, err) != NA_OK)
		return err->status;
	read_unreadable(&g);
	read_settings(&g);
	read_nics(&g);
	read_counters(&g);
	if (!s->n_files && !s->n_nics && !s->n_refused && err->status == NA_OK)
		na_fail(err, NA_EDOMAIN,
			"%s: no network settings below it; looked for "
			"proc/sys/net, sys/class/net and proc/net",
			from->root);
	if (err->status == NA_OK)
		read_host(&g);
	if (err->status == NA_OK && from->routes)
		given_routes(&g, err);
	else if (err->status == NA_OK && from->live)
		live_routes(&g);
	else if (err->status == NA_OK)
		saved_routes(&g);
	na_chroot_close(&g.root);
	return err->status;
}

bool na_settings_here(const char *dir)
{
	struct na_err err = {.status = NA_OK};
	struct na_chroot root;
	bool here;

	if (na_chroot_open(&root, dir, &err) != NA_OK)
		return false;
	here = na_chroot_has_dir(&root, "proc/sys/net") ||
	       na_chroot_has_dir(&root, "proc/net") ||
	       na_chroot_has_dir(&root, "sys/class/net") ||
	       na_chroot_has_dir(&root, "sys/module/tcp_cubic");
	na_chroot_close(&root);
	return here;
}
