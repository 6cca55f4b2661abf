/*
 * A rank's trace as PyTorch's profiler writes it: Chrome JSON by libkineto.
 */
#include <inttypes.h>
#include <stdio.h>

#include "netan/base/units.h"
#include "netan/synth/pytorch/pytorch.h"
#include "netan/synth/pytorch/write.h"

enum {
	COMPUTE_STREAM = 7,
	FIRST_COMM_STREAM = 20,
	MAX_RANKS_TOLD = 30, /* of a group, in arguments */
	LAUNCH_CBID = 211,
	LAUNCH_EX_CBID = 430,
};

static const int64_t base_ns = INT64_C(1759276800000000000);

struct kineto {
	struct na_wire *w;
	const struct na_torch_job *job;
	uint32_t rank, pid, device;
	uint64_t n;           /* events */
	uint64_t correlation; /* of the last launch */
	bool seq, args;
};

/* Microseconds of the trace's clock, with nanoseconds behind the point. */
static void put_us(struct na_wire *w, int64_t ns)
{
	na_wire_text(w, "%" PRId64 ".%03d", ns / NA_NS_PER_US,
		     (int)(ns % NA_NS_PER_US));
}

static int64_t trace_ns(const struct kineto *k, int64_t ps)
{
	return na_torch_unix_ns(k->job, k->rank, ps) - base_ns;
}

/* "ph" to the beginning of "args". */
static void begin(struct kineto *k, const char *cat, const char *name,
		  uint32_t pid, uint32_t tid, int64_t from_ps, int64_t to_ps)
{
	int64_t from = trace_ns(k, from_ps), to = trace_ns(k, to_ps);

	na_wire_text(k->w,
		     "%s\n  {\n    \"ph\": \"X\", \"cat\": \"%s\", \"name\": "
		     "\"%s\", \"pid\": %u, \"tid\": %u,\n    \"ts\": ",
		     k->n++ ? "," : "", cat, name, pid, tid);
	put_us(k->w, from);
	na_wire_text(k->w, ", \"dur\": ");
	put_us(k->w, to - from);
	na_wire_text(k->w, ",\n    \"args\": {\n      ");
}

static void end(struct kineto *k)
{
	na_wire_text(k->w, "\n    }\n  }");
}

static void put_group(struct kineto *k, const struct na_torch_op *op)
{
	const struct na_torch_job *job = k->job;
	uint32_t group = na_torch_group(job, op->role, k->rank);

	na_wire_text(k->w,
		     "\"Process Group Name\": \"%u\", "
		     "\"Process Group Description\": \"%s\", "
		     "\"Process Group Ranks\": \"",
		     na_torch_group_name(job, op->role, group),
		     na_torch_role_name(op->role));
	na_torch_ranks(k->w, job, op->role, group, MAX_RANKS_TOLD);
	na_wire_text(k->w, "\"");
	if (na_torch_p2p(op))
		na_wire_text(k->w, ", \"%s Rank\": %u",
			     op->kind == NA_TORCH_SEND ? "Dst" : "Src",
			     na_torch_peer(job, k->rank, op));
}

static void put_comm_args(struct kineto *k, uint32_t event)
{
	const struct na_torch_op *op = na_torch_op(k->job, k->rank, event);

	na_wire_text(k->w,
		     "\"Collective name\": \"%s\", \"In msg nelems\": %" PRIu64
		     ", \"Out msg nelems\": %" PRIu64 ", \"Group size\": %u, "
		     "\"dtype\": \"BFloat16\", \"In split size\": \"[]\", "
		     "\"Out split size\": \"[]\", ",
		     na_torch_names[op->kind].collective, op->in, op->out,
		     k->job->roles[op->role].size);
	put_group(k, op);
	if (k->seq)
		na_wire_text(k->w, ", \"Seq\": %u",
			     na_torch_sequence(k->job, k->rank, event));
}

static void put_flow(struct kineto *k, const char *ph, uint32_t pid,
		     uint32_t tid, int64_t ps)
{
	na_wire_text(k->w,
		     ",\n  {\n    \"ph\": \"%s\", \"id\": %" PRIu64
		     ", \"pid\": %u, \"tid\": %u, \"ts\": ",
		     ph, k->correlation, pid, tid);
	put_us(k->w, trace_ns(k, ps));
	na_wire_text(k->w,
		     ",\n    \"cat\": \"ac2g\", \"name\": \"ac2g\"%s\n  }",
		     *ph == 'f' ? ", \"bp\": \"e\"" : "");
	k->n++;
}

/* The call that launches a kernel, before the kernel. */
static void put_launch(struct kineto *k, bool comm, int64_t ps)
{
	k->correlation++;
	begin(k, "cuda_runtime",
	      comm ? "cudaLaunchKernelExC" : "cudaLaunchKernel", k->pid, k->pid,
	      ps, ps + 6 * NA_PS_PER_US);
	na_wire_text(k->w,
		     "\"External id\": %" PRIu64 ", \"cbid\": %d, "
		     "\"correlation\": %" PRIu64,
		     k->correlation, comm ? LAUNCH_EX_CBID : LAUNCH_CBID,
		     k->correlation);
	end(k);
	put_flow(k, "s", k->pid, k->pid, ps);
}

static void put_kernel_args(struct kineto *k, uint32_t stream, int grid)
{
	na_wire_text(k->w,
		     "\"External id\": %" PRIu64 ", \"queued\": 0, "
		     "\"device\": %u, \"context\": 1, \"stream\": %u, "
		     "\"correlation\": %" PRIu64
		     ", \"registers per thread\": 96, \"shared memory\": 0, "
		     "\"grid\": [%d, 1, 1], \"block\": [512, 1, 1]",
		     k->correlation, k->device, stream, k->correlation, grid);
}

static void put_comm(struct kineto *k, uint32_t event)
{
	const struct na_torch_event *e = &k->job->ranks[k->rank].events[event];
	const struct na_torch_op *op = na_torch_op(k->job, k->rank, event);
	uint32_t stream = FIRST_COMM_STREAM + (uint32_t)op->role;
	int64_t call_ps = e->arrive_ps - 40 * NA_PS_PER_US;
	char kernel[120];

	begin(k, "cpu_op", "record_param_comms", k->pid, k->pid, call_ps,
	      call_ps + 30 * NA_PS_PER_US);
	na_wire_text(k->w, "\"External id\": %" PRIu64 ", ",
		     k->correlation + 1);
	put_comm_args(k, event);
	na_wire_text(k->w, ", \"Rank\": %u",
		     na_torch_p2p(op)
			     ? op->peer
			     : na_torch_place(k->job, op->role, k->rank));
	end(k);
	put_launch(k, true, call_ps + 20 * NA_PS_PER_US);
	snprintf(kernel, sizeof(kernel),
		 "ncclDevKernel_%s(ncclDevKernelArgsStorage<4096ul>)",
		 na_torch_names[op->kind].kernel);
	begin(k, "kernel", kernel, k->device, stream, e->arrive_ps, e->end_ps);
	put_kernel_args(k, stream, 24);
	if (k->args) {
		na_wire_text(k->w, ", ");
		put_comm_args(k, event);
	}
	end(k);
	put_flow(k, "f", k->device, stream, e->arrive_ps);
}

static void put_compute(struct kineto *k, const struct na_torch_kernel *x)
{
	static const char *const names[] = {
		"sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x256x64",
		("void at::native::vectorized_elementwise_kernel<4, "
		 "at::native::CUDAFunctor_add<c10::BFloat16>>"),
		"flash_fwd_kernel",
	};

	put_launch(k, false, x->start_ps - 25 * NA_PS_PER_US);
	begin(k, "kernel", names[k->correlation % NA_LEN(names)], k->device,
	      COMPUTE_STREAM, x->start_ps, x->start_ps + x->dur_ps);
	put_kernel_args(k, COMPUTE_STREAM, 132);
	end(k);
	put_flow(k, "f", k->device, COMPUTE_STREAM, x->start_ps);
}

static void put_annotation(struct kineto *k, uint32_t step, int64_t from_ps,
			   int64_t to_ps)
{
	char name[40];

	snprintf(name, sizeof(name), "ProfilerStep#%u", step);
	begin(k, "user_annotation", name, k->pid, k->pid, from_ps, to_ps);
	na_wire_text(k->w,
		     "\"External id\": %u, \"Record function id\": %u, "
		     "\"Ev Idx\": %u",
		     step + 1, step + 1, step);
	end(k);
}

/* One step: what it computes and exchanges, in the order of launching. */
static void put_step(struct kineto *k, uint32_t step, size_t *kernel)
{
	const struct na_torch_rank *r = &k->job->ranks[k->rank];
	uint32_t n = na_torch_n_ops(k->job, k->rank);
	int64_t to = r->step_ps[step + 1];

	for (uint32_t i = 0; i < n; i++) {
		uint32_t event = step * n + i;

		while (*kernel < r->kernels.n &&
		       r->kernels.v[*kernel].step == step &&
		       r->kernels.v[*kernel].op <= i)
			put_compute(k, &r->kernels.v[(*kernel)++]);
		if (r->events[event].state == NA_TORCH_DONE)
			put_comm(k, event);
	}
	if (to) /* where it hangs, the annotation was not ended */
		put_annotation(k, step, r->step_ps[step], to);
}

static void put_names(struct kineto *k)
{
	na_wire_text(k->w,
		     ",\n  {\n    \"name\": \"process_name\", \"ph\": \"M\", "
		     "\"ts\": ");
	put_us(k->w, trace_ns(k, 0));
	na_wire_text(k->w,
		     ", \"pid\": %u, \"tid\": 0,\n    \"args\": {\n      "
		     "\"name\": \"python3\"\n    }\n  }",
		     k->pid);
	na_wire_text(k->w,
		     ",\n  {\n    \"name\": \"process_labels\", \"ph\": \"M\", "
		     "\"ts\": ");
	put_us(k->w, trace_ns(k, 0));
	na_wire_text(k->w,
		     ", \"pid\": %u, \"tid\": 0,\n    \"args\": {\n      "
		     "\"labels\": \"GPU %u\"\n    }\n  }",
		     k->device, k->device);
	k->n += 2;
}

static void put_devices(struct kineto *k)
{
	na_wire_text(k->w, "{\n  \"schemaVersion\": 1,\n"
			   "  \"deviceProperties\": [");
	for (int64_t i = 0; i < k->job->cfg->devices; i++)
		na_wire_text(k->w,
			     "%s\n    {\n      \"id\": %" PRId64
			     ", \"name\": \"NVIDIA H100 80GB HBM3\", "
			     "\"totalGlobalMem\": 84929347584,\n      "
			     "\"computeMajor\": 9, \"computeMinor\": 0, "
			     "\"warpSize\": 32, \"numSms\": 132\n    }",
			     i ? "," : "", i);
	na_wire_text(k->w, "\n  ],\n");
}

static void put_distributed(struct kineto *k)
{
	const struct na_torch_job *job = k->job;
	bool more = false;
	int n = 0;

	for (int r = 0; r < NA_N_ROLES; r++)
		n += na_torch_has(job, r);
	na_wire_text(k->w,
		     "  \"distributedInfo\": {\"backend\": \"nccl\", \"rank\": "
		     "%u, \"world_size\": %u, \"pg_count\": %d, "
		     "\"pg_config\": [",
		     k->rank, job->n_ranks, n);
	for (int r = 0; r < NA_N_ROLES; r++) {
		uint32_t group = na_torch_group(job, r, k->rank);

		if (!na_torch_has(job, r))
			continue;
		na_wire_text(k->w,
			     "%s{\"pg_name\": \"%u\", \"pg_desc\": \"%s\", "
			     "\"backend_config\": \"cuda:nccl\", \"pg_size\": "
			     "%u, \"ranks\": ",
			     more ? ", " : "",
			     na_torch_group_name(job, r, group),
			     na_torch_role_name(r), job->roles[r].size);
		na_torch_ranks(k->w, job, r, group, job->n_ranks);
		na_wire_text(k->w, "}");
		more = true;
	}
	na_wire_text(k->w, "], \"nccl_version\": \"2.27.3\"},\n");
}

void na_torch_kineto(struct na_wire *w, const struct na_torch_job *job,
		     uint32_t rank, uint64_t *events)
{
	struct kineto k = {
		.w = w,
		.job = job,
		.rank = rank,
		.pid = NA_TORCH_FIRST_PID + rank,
		.device = rank % (uint32_t)job->cfg->devices,
		.correlation = 10000,
		.seq = !na_torch_without(job, NA_TORCH_WITHOUT_SEQ),
		.args = !na_torch_without(job, NA_TORCH_WITHOUT_KERNEL_ARGS),
	};
	size_t kernel = 0;

	put_devices(&k);
	if (!na_torch_without(job, NA_TORCH_WITHOUT_DISTRIBUTED))
		put_distributed(&k);
	na_wire_text(w,
		     "  \"displayTimeUnit\": \"ms\",\n"
		     "  \"baseTimeNanoseconds\": %" PRId64
		     ",\n  \"traceEvents\": [",
		     base_ns);
	for (uint32_t s = 0; s < job->n_steps; s++)
		put_step(&k, s, &kernel);
	put_names(&k);
	na_wire_text(w,
		     "\n  ],\n  \"traceName\": \"rank%u.pt.trace.json\"\n}\n",
		     rank);
	*events = k.n;
}
