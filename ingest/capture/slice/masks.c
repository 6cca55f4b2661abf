#include "ingest/capture/slice/masks.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "netan/base/order.h"
#include "netan/base/strtab.h"
#include "netan/base/vec.h"

enum { KEY_BYTES = 17, TEXT_BYTES = 48, GROUPS = 2, KINDS = 3 };
enum {
	FROM = 100, /* octets of three digits: texts sort as numbers do */
	OCTETS = 256 - FROM,
	BENCH = 2 * OCTETS * OCTETS, /* 198.18.100.100 to 198.19.255.255 */
	THREE = OCTETS * OCTETS * OCTETS, /* octets that are free */
	NIBBLES = 0x10000 - 0x1000
};

struct mask {
	uint8_t bytes[16];
};

struct na_masks {
	struct na_strtab told; /* kind, and the address behind it */
	NA_VEC(struct mask) as; /* by index there */
	uint32_t next[KINDS][GROUPS];
	bool settled, failed;
};

static const size_t sizes[KINDS] = {
	[NA_MASKED_IP4] = 4,
	[NA_MASKED_IP6] = 16,
	[NA_MASKED_ETHERNET] = 6,
};

struct na_masks *na_masks_new(void)
{
	return na_calloc(1, sizeof(struct na_masks));
}

void na_masks_free(struct na_masks *m)
{
	if (!m)
		return;
	na_strtab_fini(&m->told);
	na_vec_free(&m->as);
	free(m);
}

/* ---- kinds of addresses */

static bool names_nobody(enum na_masked kind, const uint8_t *a)
{
	static const uint8_t nobody[] = {127, 0, 0, 1}, zero[16],
			     one[16] = {[15] = 1},
			     all[6] = {255, 255, 255, 255, 255, 255};

	if (memcmp(a, zero, sizes[kind]) == 0)
		return true;
	switch (kind) {
	case NA_MASKED_IP4:
		return memcmp(a, nobody, 4) == 0 || memcmp(a, all, 4) == 0;
	case NA_MASKED_IP6:
		return memcmp(a, one, 16) == 0;
	case NA_MASKED_ETHERNET:
		return memcmp(a, all, 6) == 0;
	}
	return false;
}

static bool is_group(enum na_masked kind, const uint8_t *a)
{
	return kind == NA_MASKED_IP4   ? a[0] >> 4 == 14
	       : kind == NA_MASKED_IP6 ? a[0] == 0xff
				       : a[0] & 1;
}

/* ---- the k-th that stands for one */

static void octets(uint8_t *to, int n, uint32_t k)
{
	for (; n--; k /= OCTETS)
		to[n] = (uint8_t)(FROM + k % OCTETS);
}

static void make_ip4(uint8_t *to, bool group, uint32_t k)
{
	if (group) {
		to[0] = 239;
		octets(to + 1, 3, k);
	} else if (k < BENCH) {
		to[0] = 198;
		to[1] = (uint8_t)(18 + k / (OCTETS * OCTETS));
		octets(to + 2, 2, k % (OCTETS * OCTETS));
	} else {
		k -= BENCH;
		to[0] = (uint8_t)(240 + k / THREE);
		octets(to + 1, 3, k);
	}
}

static void make_ip6(uint8_t *to, bool group, uint32_t k)
{
	static const uint8_t one[16] = {0x20, 0x01, 0x0d, 0xb8},
			     groups[16] = {0xff, 0x0e};
	uint32_t high = 0x1000 + k / NIBBLES, low = 0x1000 + k % NIBBLES;

	memcpy(to, group ? groups : one, 16);
	for (int i = 0; i < 2; i++) {
		to[13 - i] = (uint8_t)(high >> 8 * i);
		to[15 - i] = (uint8_t)(low >> 8 * i);
	}
}

static void make_ethernet(uint8_t *to, bool group, uint32_t k)
{
	to[0] = group ? 3 : 2;
	to[1] = 0;
	k++;
	for (int i = 0; i < 4; i++)
		to[5 - i] = (uint8_t)(k >> 8 * i);
}

static void make(enum na_masked kind, bool group, uint32_t k, uint8_t *to)
{
	memset(to, 0, 16);
	if (kind == NA_MASKED_IP4)
		make_ip4(to, group, k);
	else if (kind == NA_MASKED_IP6)
		make_ip6(to, group, k);
	else
		make_ethernet(to, group, k);
}

/* ---- telling, settling, asking */

static uint32_t find_or_add(struct na_masks *m, enum na_masked kind,
			    const uint8_t *a, bool add)
{
	char key[KEY_BYTES] = {(char)kind};

	memcpy(key + 1, a, sizes[kind]);
	return add ? na_strtab_add(&m->told, key, 1 + sizes[kind])
		   : na_strtab_find(&m->told, key, 1 + sizes[kind]);
}

/* How many there are to give. */
static uint32_t most(enum na_masked kind, bool group)
{
	return kind != NA_MASKED_IP4 ? UINT32_MAX
	       : group               ? THREE
				     : BENCH + 16 * THREE;
}

/* The next that nobody has. */
static void give(struct na_masks *m, enum na_masked kind, const uint8_t *a,
		 struct mask *to)
{
	bool group = is_group(kind, a);
	uint32_t *next = &m->next[kind][group];

	do
		make(kind, group, (*next)++, to->bytes);
	while (find_or_add(m, kind, to->bytes, false) != NA_NO_NAME);
	m->failed |= *next > most(kind, group);
}

struct sorted {
	char text[TEXT_BYTES];
	uint32_t at;
};

static void print(const struct na_interned *x, char *text)
{
	const uint8_t *a = (const uint8_t *)x->s + 1;

	if (x->s[0] == NA_MASKED_ETHERNET)
		snprintf(text, TEXT_BYTES, "%02x%02x%02x%02x%02x%02x", a[0],
			 a[1], a[2], a[3], a[4], a[5]);
	else
		inet_ntop(x->s[0] == NA_MASKED_IP4 ? AF_INET : AF_INET6, a,
			  text, TEXT_BYTES);
}

static int by_text(const void *x, const void *y)
{
	const struct sorted *a = x, *b = y;
	int order = strcmp(a->text, b->text);

	return order ? order : (a->at > b->at) - (a->at < b->at);
}

bool na_masks_settle(struct na_masks *m)
{
	size_t n = m->told.n;
	struct sorted *all = m->settled || !n ? NULL
					      : na_calloc(n, sizeof(*all));

	if (m->settled || m->failed || !n || !all || !na_room(&m->as, n)) {
		m->failed |= !m->settled && n;
		m->settled = true;
		free(all);
		return !m->failed;
	}
	for (uint32_t i = 0; i < n; i++) {
		all[i].at = i;
		print(&m->told.names[i], all[i].text);
	}
	na_sort(all, n, by_text);
	for (size_t i = 0; i < n; i++) {
		const struct na_interned *x = &m->told.names[all[i].at];

		give(m, (enum na_masked)x->s[0], (const uint8_t *)x->s + 1,
		     &m->as.v[all[i].at]);
	}
	m->as.n = n;
	m->settled = true;
	free(all);
	return !m->failed;
}

/* One that nobody told: the file changed since. */
static void give_late(struct na_masks *m, enum na_masked kind, uint32_t i)
{
	m->failed |= i != m->as.n || !na_room(&m->as, 1);
	if (m->failed)
		return;
	give(m, kind, (const uint8_t *)m->told.names[i].s + 1,
	     &m->as.v[m->as.n]);
	m->as.n++;
}

void na_mask(struct na_masks *m, enum na_masked kind, uint8_t *at)
{
	uint32_t i;

	if (names_nobody(kind, at))
		return;
	i = find_or_add(m, kind, at, true);
	m->failed |= i == NA_NO_NAME;
	if (m->settled && !m->failed && i >= m->as.n)
		give_late(m, kind, i);
	if (m->settled && !m->failed)
		memcpy(at, m->as.v[i].bytes, sizes[kind]);
	else
		memset(at, 0, sizes[kind]);
}
