/*
 * A job on GPUs: every rank computes on one stream while another one runs
 * NCCL kernels.  A kernel begins when its rank has come to it, and ends on
 * all ranks of its group at once, a transfer after the last one came: so the
 * shortest of an instance is the transfer, and the rest of the others is
 * waiting.
 */
#ifndef NETAN_SYNTH_GPU_GPU_H
#define NETAN_SYNTH_GPU_GPU_H

#include "netan/synth/hlo/module.h"
#include "netan/synth/job/truth.h"
#include "netan/synth/xspace/write.h"

struct na_gpu_coll {
	const char *opcode, *kernel;
	uint64_t bytes, input_bytes;
	uint32_t number, n_groups, group_size;
	bool split, permute, sums;
};

/* One execution of a collective by one group of ranks. */
struct na_gpu_instance {
	int64_t transfer_ps;
	uint32_t last_dev; /* who came last */
};

struct na_gpu {
	struct na_gpu_coll *colls;
	uint32_t n_colls;
	/* By step, then collective, then group (of the most there can be). */
	struct na_gpu_instance *instances;
};

/*
 * Instead of na_program_build() and na_sim_run(): fills job->gpu, n_fusions
 * and devs[].ops, whose `op` is a fusion, or n_fusions + a collective.
 */
NA_MUST_CHECK enum na_status na_gpu_run(struct na_job *job, struct na_rng *rng,
					struct na_err *err);
void na_gpu_fini(struct na_gpu *gpu);

/* `dev` is in group dev / group_size of a collective. */
struct na_gpu_instance *na_gpu_instance(const struct na_job *job, uint32_t step,
					uint32_t coll, uint32_t group);

/* module.c: "all-reduce-start.1"; the program; instructions by devs[].ops[].op
 * in of_op. */
void na_gpu_coll_name(const struct na_gpu_coll *c, char *buf, size_t size);
void na_gpu_module(struct na_module *m, bool other);
/* write.c: the planes of one host but those of metadata.c. */
NA_MUST_CHECK enum na_status na_write_gpus(struct na_writer *w,
					   struct na_err *err);
/* truth.c */
void na_truth_put_gpus(struct na_json *j, const struct na_truth *t,
		       const struct na_job *job);

#endif
