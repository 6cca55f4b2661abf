/*
 * A rank's dump of PyTorch's flight recorder: the pickle that a watchdog
 * leaves, and the JSON of its handler.  Version 2.10, operations untimed.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "netan/base/units.h"
#include "netan/synth/pytorch/pickle_out.h"
#include "netan/synth/pytorch/pytorch.h"
#include "netan/synth/pytorch/write.h"

enum { RING = 2000, TIMEOUT_MS = 600000 };

static const char version[] = "2.10", nccl_version[] = "2.27.3";
/* From the operation outwards. */
static const struct frame {
	const char *name, *filename;
	int line;
} frames[] = {
	{"wrapper", "/opt/torch/distributed/c10d_logger.py", 81},
	{"train_step", "/job/training.py", 412},
	{"main", "/job/pretrain.py", 97},
};

/* The host is so far ahead of its device. */
static const int64_t lead_ps = 150 * NA_PS_PER_US;
/* The watchdog looks so often. */
static const int64_t poll_ps = 100 * NA_PS_PER_MS;

struct entry {
	int64_t record_id, pg_id, collective_seq, p2p_seq, op_id;
	int64_t created_ns, completed_ns; /* 0: not yet */
	struct na_torch_op op;
	char pg_name[16], thread_id[24], profiling_name[48];
	const char *pg_desc;
};

static uint32_t n_entries(const struct na_torch_job *job, uint32_t rank)
{
	const struct na_torch_rank *r = &job->ranks[rank];
	uint32_t n = na_torch_n_ops(job, rank) * job->n_steps, i = 0;

	while (i < n && r->events[i].state != NA_TORCH_UNSEEN)
		i++;
	return i;
}

static void put_profiling_name(struct entry *e, const struct na_torch_job *job,
			       uint32_t rank)
{
	uint32_t place = na_torch_place(job, e->op.role, rank);
	const char *name = na_torch_names[e->op.kind].recorder;

	if (na_torch_p2p(&e->op))
		snprintf(e->profiling_name, sizeof(e->profiling_name),
			 "nccl:%s %u%s%u", name, place,
			 e->op.kind == NA_TORCH_SEND ? "->" : "<-", e->op.peer);
	else
		snprintf(e->profiling_name, sizeof(e->profiling_name),
			 "nccl:%s", name);
}

static void fill(struct entry *e, const struct na_torch_job *job, uint32_t rank,
		 uint32_t event)
{
	const struct na_torch_event *v = &job->ranks[rank].events[event];
	uint32_t seq = na_torch_sequence(job, rank, event);
	int64_t noticed_ps;

	*e = (struct entry){.record_id = event, .op_id = seq};
	e->op = na_torch_called(job, rank, event);
	e->pg_id = job->roles[e->op.role].pg_id;
	e->pg_desc = na_torch_role_name(e->op.role);
	snprintf(e->pg_name, sizeof(e->pg_name), "%u",
		 na_torch_group_name(job, e->op.role,
				     na_torch_group(job, e->op.role, rank)));
	snprintf(e->thread_id, sizeof(e->thread_id), "%" PRIu64,
		 UINT64_C(23456244340032) + UINT64_C(4096) * rank);
	if (na_torch_p2p(&e->op))
		e->p2p_seq = seq;
	else
		e->collective_seq = seq;
	put_profiling_name(e, job, rank);
	/* The first are launched before there is anything to be ahead of. */
	e->created_ns = na_torch_unix_ns(job, rank, v->arrive_ps - lead_ps);
	if (v->state != NA_TORCH_DONE)
		return;
	noticed_ps = (v->end_ps / poll_ps + 1) * poll_ps;
	e->completed_ns = na_torch_unix_ns(job, rank, noticed_ps);
}

/* The numbers of pg_status for a role: enqueued and completed. */
static void status(const struct na_torch_job *job, uint32_t rank, int role,
		   int64_t *last, int64_t *completed)
{
	uint32_t n = n_entries(job, rank);

	*last = *completed = -1;
	for (uint32_t i = 0; i < n; i++) {
		if ((int)na_torch_op(job, rank, i)->role != role)
			continue;
		*last = na_torch_sequence(job, rank, i);
		if (job->ranks[rank].events[i].state == NA_TORCH_DONE)
			*completed = *last;
	}
}

/* What the ring still has of a rank. */
static uint32_t first_kept(uint32_t n)
{
	return n > RING ? n - RING : 0;
}

static bool left_out(const struct na_torch_job *job, uint32_t rank, uint32_t i)
{
	return job->only_active &&
	       job->ranks[rank].events[i].state == NA_TORCH_DONE;
}

/* The roles' groups in the order of their names as texts, as a map of those
 * has them. */
static int by_name(const struct na_torch_job *job, uint32_t rank,
		   int order[NA_N_ROLES], char names[NA_N_ROLES][16])
{
	int n = 0;

	for (int r = 0; r < NA_N_ROLES; r++) {
		int at = n;

		if (!na_torch_has(job, r))
			continue;
		snprintf(names[r], sizeof(names[r]), "%u",
			 na_torch_group_name(job, r,
					     na_torch_group(job, r, rank)));
		for (; at && strcmp(names[order[at - 1]], names[r]) > 0; at--)
			order[at] = order[at - 1];
		order[at] = r;
		n++;
	}
	return n;
}

/* ---- pickle */

static void pickle_number(struct na_pickle *p, const char *name, int64_t v)
{
	na_pickle_text(p, name);
	na_pickle_int(p, v);
}

static void pickle_word(struct na_pickle *p, const char *name, const char *v)
{
	na_pickle_text(p, name);
	na_pickle_text(p, v);
}

static void pickle_sizes(struct na_pickle *p, const char *sizes,
			 const char *dtypes, uint64_t elements)
{
	na_pickle_text(p, sizes);
	na_pickle_open(p, '[');
	na_pickle_open(p, '[');
	na_pickle_int(p, (int64_t)elements);
	na_pickle_close(p, ']');
	na_pickle_close(p, ']');
	na_pickle_text(p, dtypes);
	na_pickle_open(p, '[');
	na_pickle_text(p, "BFloat16");
	na_pickle_close(p, ']');
}

static void pickle_frame(struct na_pickle *p, const char *id, const char *name,
			 const char *filename, int line)
{
	if (na_pickle_again(p, id))
		return;
	na_pickle_open(p, '{');
	pickle_word(p, "name", name);
	pickle_word(p, "filename", filename);
	pickle_number(p, "line", line);
	na_pickle_close(p, '}');
	na_pickle_keep(p, id);
}

static void pickle_frames(struct na_pickle *p, enum na_torch_kind kind)
{
	const char *call = na_torch_names[kind].collective;

	na_pickle_text(p, "frames");
	na_pickle_open(p, '[');
	pickle_frame(p, call, call,
		     "/opt/torch/distributed/"
		     "distributed_c10d.py",
		     2800 + (int)kind);
	for (size_t i = 0; i < NA_LEN(frames); i++)
		pickle_frame(p, frames[i].filename, frames[i].name,
			     frames[i].filename, frames[i].line);
	na_pickle_close(p, ']');
}

static void pickle_time(struct na_pickle *p, const char *name, int64_t ns)
{
	na_pickle_text(p, name);
	if (ns)
		na_pickle_int(p, ns);
	else
		na_pickle_none(p);
}

static void pickle_entry(struct na_pickle *p, const struct entry *e,
			 bool with_frames)
{
	na_pickle_open(p, '{');
	if (with_frames)
		pickle_frames(p, e->op.kind);
	pickle_number(p, "record_id", e->record_id);
	pickle_number(p, "pg_id", e->pg_id);
	na_pickle_text(p, "process_group");
	na_pickle_text(p, e->pg_name);
	na_pickle_text(p, e->pg_desc);
	na_pickle_pair(p);
	pickle_word(p, "thread_name", "python3");
	pickle_word(p, "thread_id", e->thread_id);
	pickle_number(p, "collective_seq_id", e->collective_seq);
	pickle_number(p, "p2p_seq_id", e->p2p_seq);
	pickle_number(p, "op_id", e->op_id);
	pickle_word(p, "profiling_name", e->profiling_name);
	pickle_number(p, "time_created_ns", e->created_ns);
	pickle_sizes(p, "input_sizes", "input_dtypes", e->op.in);
	pickle_sizes(p, "output_sizes", "output_dtypes", e->op.out);
	pickle_word(p, "state", e->completed_ns ? "completed" : "scheduled");
	pickle_time(p, "time_discovered_started_ns", 0);
	pickle_time(p, "time_discovered_completed_ns", e->completed_ns);
	na_pickle_text(p, "retired");
	na_pickle_bool(p, e->completed_ns != 0);
	pickle_number(p, "timeout_ms", TIMEOUT_MS);
	na_pickle_text(p, "is_p2p");
	na_pickle_bool(p, na_torch_p2p(&e->op));
	na_pickle_close(p, '}');
}

static void ranks_text(struct na_wire *text, const struct na_torch_job *job,
		       int role, uint32_t rank)
{
	text->n = 0;
	na_torch_ranks(text, job, role, na_torch_group(job, role, rank),
		       job->n_ranks);
	na_wire_raw(text, "", 1);
}

static void pickle_config(struct na_pickle *p, const struct na_torch_job *job,
			  uint32_t rank)
{
	char names[NA_N_ROLES][16];
	struct na_wire text = {0};
	int order[NA_N_ROLES], n = by_name(job, rank, order, names);

	na_pickle_text(p, "pg_config");
	na_pickle_open(p, '{');
	for (int i = 0; i < n; i++) {
		ranks_text(&text, job, order[i], rank);
		na_pickle_text(p, names[order[i]]);
		na_pickle_open(p, '{');
		pickle_word(p, "name", names[order[i]]);
		pickle_word(p, "desc", na_torch_role_name(order[i]));
		pickle_word(p, "ranks",
			    text.failed ? "" : (const char *)text.p);
		na_pickle_close(p, '}');
	}
	na_pickle_close(p, '}');
	p->w->failed |= text.failed;
	na_wire_fini(&text);
}

static void pickle_status(struct na_pickle *p, const struct na_torch_job *job,
			  uint32_t rank)
{
	na_pickle_text(p, "pg_status");
	na_pickle_open(p, '{');
	for (int r = 0; r < NA_N_ROLES; r++) {
		int64_t last, completed;
		char id[16];

		if (!na_torch_has(job, r))
			continue;
		status(job, rank, r, &last, &completed);
		snprintf(id, sizeof(id), "%u", job->roles[r].pg_id);
		na_pickle_text(p, id);
		na_pickle_open(p, '{');
		pickle_number(p, "last_enqueued_collective", last);
		pickle_number(p, "last_started_collective", -1);
		pickle_number(p, "last_completed_collective", completed);
		na_pickle_close(p, '}');
	}
	na_pickle_close(p, '}');
}

void na_torch_recorder(struct na_wire *w, const struct na_torch_job *job,
		       uint32_t rank, uint64_t *events)
{
	struct na_pickle p = {.w = w};
	bool with_frames = !na_torch_without(job, NA_TORCH_WITHOUT_FRAMES);
	uint32_t n = n_entries(job, rank);

	na_pickle_begin(&p);
	na_pickle_open(&p, '{');
	pickle_word(&p, "version", version);
	pickle_config(&p, job, rank);
	pickle_word(&p, "comm_lib_version", nccl_version);
	pickle_status(&p, job, rank);
	na_pickle_text(&p, "entries");
	na_pickle_open(&p, '[');
	for (uint32_t i = first_kept(n); i < n; i++) {
		struct entry e;

		if (left_out(job, rank, i))
			continue;
		fill(&e, job, rank, i);
		pickle_entry(&p, &e, with_frames);
		++*events;
	}
	na_pickle_close(&p, ']');
	na_pickle_close(&p, '}');
	na_pickle_end(&p);
}

/* ---- JSON: members in the order of their names, no blanks, no frames */

static void json_entry(struct na_wire *w, const struct entry *e)
{
	na_wire_text(
		w,
		"{\"collective_seq_id\":%" PRId64
		",\"input_dtypes\":[\"BFloat16\"],\"input_sizes\":[[%" PRIu64
		"]],\"is_p2p\":%s,\"op_id\":%" PRId64
		",\"output_dtypes\":[\"BFloat16\"],\"output_sizes\":"
		"[[%" PRIu64 "]],\"p2p_seq_id\":%" PRId64 ",\"pg_id\":%" PRId64
		",\"process_group\":[\"%s\",\"%s\"],",
		e->collective_seq, e->op.in,
		na_torch_p2p(&e->op) ? "true" : "false", e->op_id, e->op.out,
		e->p2p_seq, e->pg_id, e->pg_name, e->pg_desc);
	na_wire_text(w,
		     "\"profiling_name\":\"%s\",\"record_id\":%" PRId64
		     ",\"retired\":%s,\"state\":\"%s\",\"thread_id\":\"%s\","
		     "\"thread_name\":\"python3\",\"time_created_ns\":%" PRId64
		     ",\"time_discovered_completed_ns\":%" PRId64
		     ",\"time_discovered_started_ns\":0,"
		     "\"timeout_ms\":%d}",
		     e->profiling_name, e->record_id,
		     e->completed_ns ? "true" : "false",
		     e->completed_ns ? "completed" : "scheduled", e->thread_id,
		     e->created_ns, e->completed_ns, TIMEOUT_MS);
}

static void json_config(struct na_wire *w, const struct na_torch_job *job,
			uint32_t rank)
{
	char names[NA_N_ROLES][16];
	int order[NA_N_ROLES], n = by_name(job, rank, order, names);

	na_wire_text(w, "\"pg_config\":{");
	for (int i = 0; i < n; i++) {
		na_wire_text(w,
			     "%s\"%s\":{\"desc\":\"%s\",\"name\":\"%s\","
			     "\"ranks\":\"",
			     i ? "," : "", names[order[i]],
			     na_torch_role_name(order[i]), names[order[i]]);
		na_torch_ranks(w, job, order[i],
			       na_torch_group(job, order[i], rank),
			       job->n_ranks);
		na_wire_text(w, "\"}");
	}
	na_wire_text(w, "},");
}

static void json_status(struct na_wire *w, const struct na_torch_job *job,
			uint32_t rank)
{
	bool more = false;

	na_wire_text(w, "\"pg_status\":{");
	for (int r = 0; r < NA_N_ROLES; r++) {
		int64_t last, completed;

		if (!na_torch_has(job, r))
			continue;
		status(job, rank, r, &last, &completed);
		na_wire_text(
			w,
			"%s\"%u\":{\"last_completed_collective\":\"%" PRId64
			"\",\"last_enqueued_collective\":\"%" PRId64
			"\",\"last_started_collective\":\"-1\"}",
			more ? "," : "", job->roles[r].pg_id, completed, last);
		more = true;
	}
	na_wire_text(w, "},\"version\":\"%s\"}", version);
}

void na_torch_recorder_json(struct na_wire *w, const struct na_torch_job *job,
			    uint32_t rank, uint64_t *events)
{
	uint32_t n = n_entries(job, rank);
	uint64_t before = *events;

	na_wire_text(w, "{\"comm_lib_version\":\"%s\",", nccl_version);
	for (uint32_t i = first_kept(n); i < n; i++) {
		struct entry e;

		if (left_out(job, rank, i))
			continue;
		fill(&e, job, rank, i);
		na_wire_text(w, *events == before ? "\"entries\":[" : ",");
		json_entry(w, &e);
		++*events;
	}
	if (*events > before)
		na_wire_text(w, "],");
	json_config(w, job, rank);
	json_status(w, job, rank);
}
