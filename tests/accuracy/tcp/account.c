#include "tests/accuracy/tcp/account.h"

#include <string.h>

enum { TAP_BYTES = 200 };

bool account_open(struct account *a, const char *log, const char *tap,
		  int64_t wall_ns)
{
	a->wall_ns = wall_ns;
	a->tap_path = tap;
	a->tap.link = PCAP_ETHERNET;
	if (log) {
		a->log = fopen(log, "w");
		if (!a->log) {
			perror(log);
			return false;
		}
		fputs("time_s\twhat\trule\tsrc\tdst\tid\tseq\tbytes\tflags\n",
		      a->log);
	}
	return true;
}

static struct flow *flow_of(struct account *a, const struct frame_view *v)
{
	struct flow *f;

	for (size_t i = 0; i < a->n_flows; i++) {
		f = &a->flows[i];
		if (frame_end_same(&f->src, &v->src) &&
		    frame_end_same(&f->dst, &v->dst))
			return f;
	}
	if (a->n_flows == FLOWS_MAX)
		return NULL;
	f = &a->flows[a->n_flows++];
	*f = (struct flow){.src = v->src, .dst = v->dst};
	return f;
}

struct flow *account_come(struct account *a, const struct frame_view *v,
			  bool *fresh, uint64_t *arrival)
{
	struct flow *f = flow_of(a, v);
	uint32_t end = v->seq + v->payload;

	a->frames++;
	if (!f) {
		a->failed = true;
		return NULL;
	}
	f->frames++;
	f->data += v->payload > 0;
	f->payload_bytes += v->payload;
	*fresh = !f->began || (int32_t)(end - f->hi) > 0;
	if (*fresh)
		f->hi = end;
	f->began = true;
	*arrival = ++f->arrivals;
	return f;
}

void account_left(struct flow *flow, uint64_t arrival)
{
	if (arrival < flow->last_left)
		flow->reordered++;
	else
		flow->last_left = arrival;
}

static void print_event(struct account *a, const char *what, int rule,
			const struct frame_view *v, int64_t at_ns)
{
	char src[FRAME_END_BYTES], dst[FRAME_END_BYTES];

	if (!a->log)
		return;
	fprintf(a->log, "%.6f\t%s\t%d\t%s\t%s\t%u\t%u\t%u\t%u\n",
		(double)(at_ns + a->wall_ns) / 1e9, what, rule,
		frame_end_text(&v->src, src), frame_end_text(&v->dst, dst),
		v->ip_id, v->seq, v->payload, v->flags);
}

static void count_drop(struct account *a, struct flow *flow,
		       const struct frame_view *v)
{
	a->dropped++;
	if (!flow)
		a->other++;
	else if (v->flags & FRAME_SYN)
		flow->dropped_syns++;
	else if (v->payload)
		flow->dropped_data++;
	else
		flow->dropped_acks++;
}

void account_drop(struct account *a, struct flow *flow,
		  const struct frame_view *v, size_t rule, int64_t at_ns)
{
	count_drop(a, flow, v);
	print_event(a, "drop", (int)rule, v, at_ns);
}

void account_twice(struct account *a, struct flow *flow,
		   const struct frame_view *v, size_t rule, int64_t at_ns)
{
	if (flow)
		flow->duplicated++;
	print_event(a, "twice", (int)rule, v, at_ns);
}

void account_late(struct account *a, int64_t late_ns)
{
	if (late_ns > a->latest_ns)
		a->latest_ns = late_ns;
}

void account_refused(struct account *a, const uint8_t *bytes, size_t n,
		     int64_t at_ns)
{
	struct frame_view v;

	if (!frame_look(bytes, n, &v))
		return;
	a->refused++;
	count_drop(a, v.tcp ? flow_of(a, &v) : NULL, &v);
	print_event(a, "down", -1, &v, at_ns);
}

void account_tap(struct account *a, const uint8_t *bytes, size_t n,
		 int64_t at_ns)
{
	size_t kept = n < TAP_BYTES ? n : TAP_BYTES;

	if (a->tap_path && !pcap_add(&a->tap, at_ns + a->wall_ns, bytes,
				     (uint32_t)kept, (uint32_t)n))
		a->failed = true;
}

static void print_flow(FILE *f, const struct flow *x)
{
	char src[FRAME_END_BYTES], dst[FRAME_END_BYTES];

	fprintf(f,
		"\n  {\"src\":\"%s\",\"dst\":\"%s"
		"\",\"frames\":%llu,\"data\":%llu,\"payload_bytes\":%llu,"
		"\"dropped_data\":%llu,\"dropped_acks\":%llu,"
		"\"dropped_syns\":%llu,\"duplicated\":%llu,"
		"\"reordered\":%llu}",
		frame_end_text(&x->src, src), frame_end_text(&x->dst, dst),
		(unsigned long long)x->frames, (unsigned long long)x->data,
		(unsigned long long)x->payload_bytes,
		(unsigned long long)x->dropped_data,
		(unsigned long long)x->dropped_acks,
		(unsigned long long)x->dropped_syns,
		(unsigned long long)x->duplicated,
		(unsigned long long)x->reordered);
}

static bool print_json(const struct account *a, const char *path)
{
	FILE *f = fopen(path, "w");

	if (!f) {
		perror(path);
		return false;
	}
	fprintf(f,
		"{\"frames\":%llu,\"dropped\":%llu,\"refused\":%llu,"
		"\"unseen\":%llu,\"latest_ms\":%.3f,\"flows\":[",
		(unsigned long long)a->frames, (unsigned long long)a->dropped,
		(unsigned long long)a->refused, (unsigned long long)a->unseen,
		(double)a->latest_ns / 1e6);
	for (size_t i = 0; i < a->n_flows; i++) {
		if (i)
			putc(',', f);
		print_flow(f, &a->flows[i]);
	}
	fputs("]}\n", f);
	return fclose(f) == 0;
}

bool account_close(struct account *a, const char *json)
{
	bool ok = !a->failed;

	if (a->log && fclose(a->log) != 0)
		ok = false;
	if (a->tap_path) {
		pcap_sort(&a->tap);
		ok = pcap_save(a->tap_path, &a->tap) && ok;
		pcap_free(&a->tap);
	}
	return (!json || print_json(a, json)) && ok;
}
