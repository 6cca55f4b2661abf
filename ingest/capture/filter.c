#include "ingest/capture/filter.h"

#include <pcap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/capture/packet.h"
#include "netan/base/vec.h"

enum { SNAP = 262144 };

struct program {
	uint32_t link;
	bool fits, borrowed;
	struct bpf_program code;
};

/* What na_capture_filter_ahead() has compiled: for as long as the process. */
static struct {
	char *expression;
	struct program programs[NA_FILTER_LINKS];
	size_t n;
} ahead;

struct na_capture_filter {
	char *expression;
	struct program programs[NA_FILTER_LINKS];
	size_t n, last; /* last: of the packet before */
	uint64_t unfit;
	uint32_t unfit_link;
	char why[PCAP_ERRBUF_SIZE];
};

/* Numbers in files (LINKTYPE_) and in libpcap (DLT_) differ for a few. */
static int dlt_of(uint32_t link)
{
	switch (link) {
	case 14:
	case 101:
		return DLT_RAW;
	default:
		return (int)link;
	}
}

static bool is_ahead(struct program *x, const char *expression)
{
	if (!ahead.expression || strcmp(ahead.expression, expression) != 0)
		return false;
	for (size_t i = 0; i < ahead.n; i++) {
		if (ahead.programs[i].link == x->link) {
			*x = ahead.programs[i];
			return true;
		}
	}
	return false;
}

static bool compile(struct program *x, uint32_t link, const char *expression,
		    char *why, size_t n)
{
	pcap_t *dead;

	*x = (struct program){.link = link};
	if (is_ahead(x, expression))
		return true;
	dead = pcap_open_dead(dlt_of(link), SNAP);
	if (!dead) {
		snprintf(why, n, "memory is short");
		return false;
	}
	x->fits = pcap_compile(dead, &x->code, expression, 1,
			       PCAP_NETMASK_UNKNOWN) == 0;
	if (!x->fits)
		snprintf(why, n, "%s", pcap_geterr(dead));
	pcap_close(dead);
	return x->fits;
}

/* Some words fit some link types only, as "inbound" does cooked ones. */
static const uint32_t usual[] = {DLT_EN10MB, DLT_LINUX_SLL, DLT_RAW};

static bool add_ahead(const char *expression, uint32_t link)
{
	struct program *x = &ahead.programs[ahead.n];
	char why[PCAP_ERRBUF_SIZE];

	if (ahead.n == NA_FILTER_LINKS ||
	    !compile(x, link, expression, why, sizeof(why)))
		return false;
	x->borrowed = true;
	ahead.n++;
	return true;
}

void na_capture_filter_ahead(const char *expression)
{
	char *copy = strdup(expression);

	for (size_t i = 0; copy && i < NA_LEN(usual); i++)
		add_ahead(expression, usual[i]);
	for (uint32_t link = 0; ahead.n && link <= NA_LINK_TOP; link++) {
		if (na_packet_link_known(link))
			add_ahead(expression, link);
	}
	ahead.expression = copy;
}

enum na_status na_capture_filter_new(struct na_capture_filter **out,
				     const char *expression, struct na_err *err)
{
	struct na_capture_filter *f = na_calloc(1, sizeof(*f));
	char why[PCAP_ERRBUF_SIZE], first[PCAP_ERRBUF_SIZE] = "";

	*out = NULL;
	if (f)
		f->expression = strdup(expression);
	if (!f || !f->expression) {
		na_capture_filter_free(f);
		return na_fail_nomem(err);
	}
	for (size_t i = 0; i < sizeof(usual) / sizeof(*usual); i++) {
		struct program *x = &f->programs[f->n];

		if (compile(x, usual[i], expression, why, sizeof(why))) {
			f->n++;
			*out = f;
			return NA_OK;
		}
		if (i == 0)
			memcpy(first, why, sizeof(first));
	}
	na_capture_filter_free(f);
	return na_fail(err, NA_EUSAGE,
		       "capture filter '%s': %s; see pcap-filter(7)",
		       expression, first);
}

void na_capture_filter_free(struct na_capture_filter *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->n; i++)
		if (f->programs[i].fits && !f->programs[i].borrowed)
			pcap_freecode(&f->programs[i].code);
	free(f->expression);
	free(f);
}

static const struct program *program_of(struct na_capture_filter *f,
					uint32_t link)
{
	char why[PCAP_ERRBUF_SIZE];

	if (f->programs[f->last].link == link)
		return &f->programs[f->last];
	for (size_t i = 0; i < f->n; i++)
		if (f->programs[i].link == link) {
			f->last = i;
			return &f->programs[i];
		}
	snprintf(why, sizeof(why), "more than %d link types", NA_FILTER_LINKS);
	if (f->n < NA_FILTER_LINKS) {
		f->last = f->n++;
		if (compile(&f->programs[f->last], link, f->expression, why,
			    sizeof(why)))
			return &f->programs[f->last];
	}
	if (!f->why[0]) {
		f->unfit_link = link;
		snprintf(f->why, sizeof(f->why), "%s", why);
	}
	return f->n < NA_FILTER_LINKS || f->programs[f->last].link == link
		       ? &f->programs[f->last]
		       : NULL;
}

bool na_capture_filter_pass(struct na_capture_filter *f,
			    const struct na_record *r)
{
	/* Loopback frames have a family in front, in the byte order and by
	 * the numbers of the system that captured; a program that is not
	 * bound to a file knows this system's only.  What is behind it goes
	 * through the program for raw IP, and lengths stay the frame's. */
	bool loopback = r->link == DLT_NULL || r->link == DLT_LOOP;
	uint32_t skip = loopback && r->captured_bytes >= 4 ? 4 : 0;
	const struct program *x = program_of(f, loopback ? 101 : r->link);

	if (!x || !x->fits) {
		f->unfit++;
		return false;
	}
	return bpf_filter(x->code.bf_insns, r->data + skip, r->wire_bytes,
			  r->captured_bytes - skip) != 0;
}

uint64_t na_capture_filter_unfit(const struct na_capture_filter *f,
				 uint32_t *link, const char **why)
{
	*link = f->unfit_link;
	*why = f->why;
	return f->unfit;
}
