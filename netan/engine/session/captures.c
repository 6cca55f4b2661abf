/* What sessions do for captures: --filter, files of one capture. */
#include <stdlib.h>
#include <string.h>

#include "ingest/capture/filter.h"
#include "ingest/capture/packet.h"
#include "netan/base/vec.h"
#include "netan/engine/anonymize.h"
#include "netan/engine/session/session.h"

static bool is_capture(const struct na_input *in)
{
	return in->reader->packets;
}

static size_t captures_in(const struct na_session *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n_inputs; i++)
		n += is_capture(&s->inputs[i]);
	return n;
}

/* Captures of a run are one capture in several files: the first reads all. */
static bool link_files(struct na_session *s)
{
	struct na_input **at = na_calloc(s->n_inputs,
					 sizeof(struct na_input *));

	s->merged = at;
	if (!at)
		return false;
	for (size_t i = 0; i < s->n_inputs; i++) {
		struct na_input *first = &s->inputs[i], **from = at;

		if (!is_capture(first) || first->merged)
			continue;
		for (size_t k = i; k < s->n_inputs; k++) {
			if (!is_capture(&s->inputs[k]) ||
			    s->sources[k].run != s->sources[i].run)
				continue;
			s->inputs[k].merged = from;
			*at++ = &s->inputs[k];
		}
		first->n_merged = (size_t)(at - from);
	}
	return true;
}

static enum na_status check_filter(const struct na_session *s,
				   struct na_err *err)
{
	struct na_capture_filter *f = NULL;

	if (!captures_in(s))
		return na_fail(err, NA_EUSAGE,
			       "--filter is for packet captures; %s is %s",
			       s->inputs[0].path, s->inputs[0].format);
	if (na_capture_filter_new(&f, s->request->filter, err) == NA_OK)
		na_capture_filter_free(f);
	return err->status;
}

enum na_status na_session_captures(struct na_session *s, struct na_err *err)
{
	if (!link_files(s))
		return na_fail_nomem(err);
	if (s->request->filter && check_filter(s, err) != NA_OK)
		return err->status;
	return err->status;
}

/* All packets of a session of captures; false if there are traces, too. */
static bool all_packets(const struct na_session *s,
			struct na_capture_counts *sum)
{
	*sum = (struct na_capture_counts){.packets = 0};
	for (size_t i = 0; i < s->n_inputs; i++) {
		const struct na_capture_counts *c = s->inputs[i].capture;

		if (!c)
			return false;
		sum->packets += c->packets;
		sum->filtered += c->filtered;
		sum->cut_packets += c->cut_packets;
		sum->tcp += c->tcp;
		sum->udp += c->udp;
		sum->connections += c->connections;
	}
	return true;
}

static void say_which_packets(const struct na_session *s,
			      const struct na_capture_counts *c)
{
	char n[NA_UNIT_BUF], a[NA_UNIT_BUF], b[NA_UNIT_BUF];

	na_print_count(n, c->packets);
	if (c->connections)
		na_say_hint(s->request,
			    "there are %s packets and %s TCP connections; "
			    "netan tcp shows them, netan timeline the packets",
			    n, na_print_count(a, c->connections));
	else
		na_say_hint(s->request,
			    "there are %s packets (%s TCP, %s UDP); netan "
			    "timeline shows them, netan info says more",
			    n, na_print_count(a, c->tcp),
			    na_print_count(b, c->udp));
	if (c->cut_packets)
		na_say_hint(s->request,
			    "%s packets are cut by the snap length: capture "
			    "whole packets to see calls (tcpdump -s 0)",
			    na_print_count(n, c->cut_packets));
}

bool na_session_say_no_packets(const struct na_session *s)
{
	struct na_capture_counts c;
	char n[NA_UNIT_BUF];

	if (!all_packets(s, &c) || c.packets)
		return false;
	if (c.filtered) {
		na_say_error(s->request,
			     "none of the %s packets passes --filter \"%s\"",
			     na_print_count(n, c.filtered), s->request->filter);
	} else if (s->damaged) {
		na_say_error(s->request,
			     "no packets in what could be read of the "
			     "input; the warnings say what is lost");
	} else {
		na_say_error(s->request, "no packets: the capture is empty");
		na_say_hint(s->request,
			    "was the right interface recorded, while "
			    "there was traffic?");
	}
	return true;
}

bool na_session_say_no_calls(const struct na_session *s, struct na_result *r)
{
	struct na_capture_counts c;

	if (!all_packets(s, &c))
		return false;
	na_result_word(r, NA_WORD_EMPTY,
		       c.packets ? "no calls and no messages in these packets"
				 : "no packets in this capture");
	if (na_session_say_no_packets(s))
		return true;
	na_say_error(s->request,
		     "no calls and no messages: looked for HTTP/2, for "
		     "requests and responses on other TCP "
		     "connections, and for RoCEv2 (UDP port 4791)");
	say_which_packets(s, &c);
	return true;
}
