/*
 * The truth of a PyTorch job, on the true clock, ps from its start.
 */
#include <stdio.h>

#include "netan/base/units.h"
#include "netan/synth/json_out.h"
#include "netan/synth/pytorch/pytorch.h"
#include "netan/synth/pytorch/write.h"

static void put_host(struct na_json *j, uint32_t host)
{
	char buf[32];

	snprintf(buf, sizeof(buf), "host-%u", host);
	na_json_text(j, "host", buf);
}

static void put_hosts(struct na_json *j, const struct na_torch_job *job)
{
	na_json_line(j, 1);
	na_json_open(j, "hosts", '[');
	for (uint32_t h = 0; h < job->n_hosts; h++) {
		na_json_item(j, 2);
		put_host(j, h);
		na_json_int(j, "ahead_ns", job->ahead_ps[h] / NA_PS_PER_NS);
		na_json_int(j, "first_rank", h * job->cfg->devices);
		na_json_int(j, "ranks", job->cfg->devices);
		na_json_close(j, '}');
	}
	na_json_close(j, ']');
}

static void put_members(struct na_json *j, const char *name,
			const struct na_torch_job *job, int role,
			uint32_t group)
{
	na_json_open(j, name, '[');
	for (uint32_t i = 0; i < job->roles[role].size; i++)
		na_json_uint(j, NULL, na_torch_member(job, role, group, i));
	na_json_close(j, ']');
}

static void put_groups(struct na_json *j, const struct na_torch_job *job)
{
	na_json_line(j, 1);
	na_json_open(j, "groups", '[');
	for (int r = 0; r < NA_N_ROLES; r++)
		for (uint32_t g = 0;
		     na_torch_has(job, r) && g < job->roles[r].groups; g++) {
			na_json_item(j, 2);
			na_json_uint(j, "name", na_torch_group_name(job, r, g));
			na_json_text(j, "description", na_torch_role_name(r));
			put_members(j, "ranks", job, r, g);
			na_json_close(j, '}');
		}
	na_json_close(j, ']');
}

/* A hang that another one kept from happening accuses nobody. */
static bool took_hold(const struct na_torch_rank *r)
{
	return r->halted || (r->hang && r->hang->kind == NA_FAULT_MISMATCH &&
			     r->at == r->hang_event && r->arrived);
}

static void put_hang(struct na_json *j, const struct na_torch_job *job,
		     const struct na_fault *f)
{
	static const char *const kinds[] = {
		[NA_FAULT_STUCK_DEVICE] = "device_stuck",
		[NA_FAULT_STUCK_HOST] = "host_stuck",
		[NA_FAULT_MISMATCH] = "mismatch",
		[NA_FAULT_MISSING_RANK] = "missing_rank",
	};
	const struct na_torch_rank *r = &job->ranks[f->host];
	const struct na_torch_op *op = na_torch_op(job, f->host, r->hang_event);

	na_json_text(j, "cause", kinds[f->kind]);
	na_json_bool(j, "took_hold", took_hold(r));
	na_json_uint(j, "group",
		     na_torch_group_name(job, op->role,
					 na_torch_group(job, op->role,
							f->host)));
	put_members(j, "group_ranks", job, op->role,
		    na_torch_group(job, op->role, f->host));
	na_json_uint(j, "sequence",
		     na_torch_sequence(job, f->host, r->hang_event));
	na_json_text(j, "collective", na_torch_names[op->kind].recorder);
	if (f->kind == NA_FAULT_MISMATCH)
		na_json_text(j, "differs",
			     job->differs == NA_DIFFERS_SIZE ? "size"
							     : "operation");
}

static void put_faults(struct na_json *j, const struct na_torch_job *job)
{
	na_json_line(j, 1);
	na_json_open(j, "faults", '[');
	for (size_t i = 0; i < job->n_faults; i++) {
		const struct na_fault *f = &job->faults[i];
		bool late = f->kind == NA_FAULT_LATE_RANK;
		uint32_t host = f->host;

		na_json_item(j, 2);
		na_json_text(j, "kind", na_fault_name(f->kind));
		if (late || na_torch_is_hang(f->kind)) {
			na_json_uint(j, "rank", f->host);
			host = na_torch_host(job, f->host);
		}
		put_host(j, host);
		if (late)
			na_json_int(j, "late_ps", f->value);
		else if (f->kind == NA_FAULT_CLOCK)
			na_json_int(j, "ahead_ps", f->value);
		else if (na_torch_is_hang(f->kind))
			put_hang(j, job, f);
		else
			na_json_int(j, "factor_q16", f->value_q16);
		na_json_close(j, '}');
	}
	na_json_close(j, ']');
}

static void put_steps(struct na_json *j, const struct na_torch_job *job)
{
	na_json_line(j, 1);
	na_json_open(j, "steps", '[');
	for (uint32_t s = 0; s < job->n_steps; s++) {
		int64_t from = INT64_MAX, to = 0;

		for (uint32_t i = 0; i < job->n_ranks; i++) {
			const int64_t *b = &job->ranks[i].step_ps[s];

			from = b[0] < from ? b[0] : from;
			to = b[1] > to ? b[1] : to;
		}
		na_json_item(j, 2);
		na_json_uint(j, "step", s);
		na_json_int(j, "from_ps", from);
		na_json_when(j, "to_ps", to > 0, to);
		na_json_close(j, '}');
	}
	na_json_close(j, ']');
}

/* Each instance of a collective, from its first member's point of view. */
static void put_executions(struct na_json *j, const struct na_torch_job *job)
{
	na_json_line(j, 1);
	na_json_open(j, "executions", '[');
	for (uint32_t rank = 0; rank < job->n_ranks; rank++) {
		uint32_t n = na_torch_n_ops(job, rank) * job->n_steps;

		for (uint32_t e = 0; e < n; e++) {
			const struct na_torch_op *op = na_torch_op(job, rank,
								   e);
			const struct na_torch_instance *x =
				na_torch_instance(job, rank, e);

			if (na_torch_p2p(op) || !x->done ||
			    na_torch_place(job, op->role, rank))
				continue;
			na_json_item(j, 2);
			na_json_uint(j, "group",
				     na_torch_group_name(
					     job, op->role,
					     na_torch_group(job, op->role,
							    rank)));
			na_json_uint(j, "sequence",
				     na_torch_sequence(job, rank, e));
			na_json_text(j, "collective",
				     na_torch_names[op->kind].collective);
			na_json_int(j, "from_ps", x->first_ps);
			na_json_int(j, "skew_ps", x->last_ps - x->first_ps);
			na_json_int(j, "transfer_ps", x->transfer_ps);
			na_json_uint(j, "last_rank", x->last_rank);
			na_json_close(j, '}');
		}
	}
	na_json_close(j, ']');
}

enum na_status na_torch_truth(const struct na_torch_job *job, const char *path,
			      uint64_t *bytes, struct na_err *err)
{
	struct na_json j;
	enum na_status st = na_json_begin(&j, 0, err);

	if (st)
		return st;
	na_json_open(&j, NULL, '{');
	na_json_text(&j, "schema", "netan.synth.pytorch/1");
	na_json_int(&j, "seed", job->cfg->seed);
	na_json_int(&j, "start_unix_ns", job->start_unix_ns);
	na_json_uint(&j, "world_size", job->n_ranks);
	na_json_bool(&j, "hangs", job->hangs);
	na_json_bool(&j, "only_active", job->only_active);
	put_faults(&j, job);
	put_hosts(&j, job);
	put_groups(&j, job);
	put_steps(&j, job);
	put_executions(&j, job);
	na_json_close(&j, '}');
	return na_json_save(&j, path, bytes, err);
}
