/*
 * Synthetic traces with known content.  na_synth_run() simulates a training
 * job on several hosts and writes what a profiler would have captured, or
 * writes one large file for measurements; beside it a truth file says what
 * is in there.  Nothing here is shared with the readers but the base layer.
 *
 * One configuration gives the same bytes with any compiler on any machine.
 */
#ifndef NETAN_SYNTH_SYNTH_H
#define NETAN_SYNTH_SYNTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "netan/base/err.h"
#include "netan/base/opt.h"

/* The orders are those of the words of the command's options. */
enum na_synth_generation { NA_GEN_GRAPH, NA_GEN_MESSAGE, NA_GEN_BOTH };
enum na_synth_compress { NA_PACK_NONE, NA_PACK_GZIP, NA_PACK_ZSTD };
enum na_synth_profile {
	NA_PROFILE_SESSION, /* the simulated job */
	NA_PROFILE_TYPICAL, /* one large file, 1/8 network */
	NA_PROFILE_NETWORK, /* one large file, all events network */
	NA_PROFILE_GPU,     /* a simulated job on GPUs with NCCL */
	NA_PROFILE_PYTORCH, /* ranks of PyTorch over NCCL */
	NA_PROFILE_FLEET    /* many hosts with little in each */
};
enum na_synth_pattern { NA_PATTERN_DIRECT, NA_PATTERN_RING };

struct na_synth_config {
	const char *dir; /* log directory, or NAME.pcap, NAME.pcapng */
	const char *run; /* session name; NULL: from the time */
	int64_t seed;
	int64_t repeat; /* another run on the same fleet, by its number */
	int profile, generation, pattern, compress;
	/* session */
	int64_t hosts, devices, slices; /* slices 0: one per host */
	int64_t steps, collectives, ops;
	int64_t step_ps;             /* computing in a step, without waits */
	int64_t chunk_bytes;         /* largest single transfer */
	double link_rate;            /* bits/s, each way, per host */
	bool message_spans;          /* old messages span their transfer */
	int64_t icis;                /* collectives inside the slice */
	bool shuffle_suffixes;       /* a -done is not numbered as its start */
	int64_t skip_planes;         /* device planes left out */
	struct na_text_list without; /* see job.h */
	const char *hlo_dump;        /* directory for modules, or NULL */
	struct na_text_list faults;  /* see fault.h */
	struct na_text_list only;    /* hosts whose file is written */
	/* PyTorch */
	struct na_text_list evidence; /* kinds of files; none: by the faults */
	/* large files */
	int64_t size_bytes, events; /* 0: decided by the other one */
	double collective_ops;      /* share of the device ops */
	/* captures; also hosts, size_bytes (of bulk transfers) */
	int64_t connections, rpcs, roce; /* how many */
	struct na_text_list conditions;  /* of the connections, in turn */
	double loss;                     /* share of segments */
	int64_t message_bytes;           /* median of an RPC's answer */
	int64_t snaplen_bytes;           /* 0: whole packets */
};

struct na_synth_file {
	char *path;
	uint64_t bytes, events;
};

struct na_synth_report {
	struct na_synth_file *files; /* traces in host order, dumps, truth */
	size_t n, cap;
	char *session; /* directory that holds the traces */
	bool hangs;    /* what was simulated does, in its last step */
};

/*
 * Writes a capture for a name that says so (capture.h), else
 * DIR/plugins/profile/RUN/HOST.xplane.pb for each host and
 * DIR/truth.json; of PyTorch, a file for each rank below DIR/kineto,
 * DIR/recorder, DIR/recorder-json and DIR/inspector.  Each file appears under its name only when complete.
 *
 * NA_EUSAGE: sizes that do not fit each other, or a fault that names an
 * unknown kind or host.  NA_EIO: names the file that could not be written.
 * The report is the caller's to free, after failure too.
 */
NA_MUST_CHECK enum na_status na_synth_run(const struct na_synth_config *cfg,
					  struct na_synth_report *report,
					  struct na_err *err);
/* For those that write the files: takes the path, to which writing went as
 * `st` says; a failure is passed on. */
NA_MUST_CHECK enum na_status
na_synth_report_add(struct na_synth_report *r, enum na_status st, char *path,
		    uint64_t bytes, uint64_t events, struct na_err *err);
void na_synth_report_fini(struct na_synth_report *report);

#endif
