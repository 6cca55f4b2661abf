/*
 * netan synth: a trace with known content.
 */
#include <inttypes.h>
#include <stdio.h>

#include "netan/base/shell.h"
#include "netan/base/units.h"
#include "netan/cli/cli.h"
#include "netan/synth/capture/capture.h"
#include "netan/synth/job/fault.h"
#include "netan/synth/job/job.h"
#include "netan/synth/synth.h"

/* Files named one by one; the rest are counted. */
enum { SHOWN_FILES = 8 };

#define FIELD(name) offsetof(struct na_synth_config, name)

/* clang-format off */
static const struct na_opt opts[] = {
	{ NA_OPT_TEXT, 'o', "output", FIELD(dir), "DIR", NULL, 0, 0,
	  "log directory to write under; NAME.pcap or NAME.pcapng: a packet "
	  "capture (required)", NA_PATH_MAKE,
	  .brief = "a directory, or a capture: NAME.pcap" },
	{ NA_OPT_TEXT, 0, "run", FIELD(run), "NAME", NULL, 0, 0,
	  "name of the session (default: its start time)" },
	{ NA_OPT_COUNT, 0, "seed", FIELD(seed), "N", "1", 0, 9e15,
	  "another seed, another fleet; the same seed, the same bytes" },
	{ NA_OPT_COUNT, 0, "repeat", FIELD(repeat), "N", "0", 0, 9e15,
	  "session, gpu, pytorch: the same job on the same hosts once more; what --seed "
	  "draws of them stays, noise is another",
	  .brief = "the same job once more, with other noise" },
	{ NA_OPT_CHOICE, 0, "profile", FIELD(profile),
	  "session|typical|network|gpu|pytorch|fleet", "session", 0, 0,
	  "a simulated job, on TPUs, (gpu) on GPUs with NCCL, or (pytorch) of "
	  "PyTorch, a file for each rank; or for measurements one large file, "
	  "a typical host's trace or network events alone, or (fleet) many "
	  "hosts, each of which exchanges a little with five others in each "
	  "of the --steps",
	  .brief = "what kind" },
	{ NA_OPT_LIST, 0, "evidence", FIELD(evidence), "KIND", NULL, 0, 0,
	  "pytorch: what to write: kineto, recorder, recorder-json, inspector "
	  "(default: kineto, or recorder of a job that hangs)" },
	{ NA_OPT_CHOICE, 0, "generation", FIELD(generation),
	  "graph|message|both", "graph", 0, 0,
	  "write transfers as action graphs, as older messages, or both",
	  .brief = "form of transfers" },
	{ NA_OPT_COUNT, 0, "hosts", FIELD(hosts), "N", "4", 1, 1e6,
	  "hosts of the job (4096 at most, but with --profile fleet)" },
	{ NA_OPT_COUNT, 0, "devices", FIELD(devices), "N", "4", 1, 64,
	  "devices of each host" },
	{ NA_OPT_COUNT, 0, "slices", FIELD(slices), "N", "0", 0, 4096,
	  "slices, a divisor of the hosts (0: one for each host)" },
	{ NA_OPT_COUNT, 0, "steps", FIELD(steps), "N", "20", 1, 1e6,
	  "training steps" },
	{ NA_OPT_TIME, 0, "step-time", FIELD(step_ps), "TIME", "40ms", 1,
	  3.6e15, "what a step computes, without its waits" },
	{ NA_OPT_COUNT, 0, "collectives", FIELD(collectives), "N", "8", 0,
	  1e4, "collectives of a step" },
	{ NA_OPT_COUNT, 0, "ops", FIELD(ops), "N", "4", 1, 1e4,
	  "computing operations between two collectives" },
	{ NA_OPT_COUNT, 0, "ici", FIELD(icis), "N", "0", 0, 1000,
	  "collectives of a step inside the slice" },
	{ NA_OPT_CHOICE, 0, "pattern", FIELD(pattern), "direct|ring",
	  "direct", 0, 0,
	  "every slice sends to every other one, or to the next one" },
	{ NA_OPT_BYTES, 0, "chunk", FIELD(chunk_bytes), "BYTES", "8MiB",
	  1024, 1e12, "largest single transfer" },
	{ NA_OPT_RATE, 0, "link-rate", FIELD(link_rate), "RATE", "100Gbps",
	  1e6, 1e15, "what a host can send, and receive, at most" },
	{ NA_OPT_FLAG, 0, "message-spans", FIELD(message_spans), NULL, NULL,
	  0, 0, "older messages span their transfer (default: they mark its "
	  "end)" },
	{ NA_OPT_LIST, 0, "fault", FIELD(faults), "KIND:...", NULL, 0, 0,
	  "plant a fault, as listed above", NA_PATH_NONE, na_fault_offered,
	  .brief = "plant a fault: slow-sender:host-3:4" },
	{ NA_OPT_LIST, 0, "only", FIELD(only), "HOST", NULL, 0, 0,
	  "write only this host's file" },
	{ NA_OPT_LIST, 0, "without", FIELD(without), "WHAT", NULL, 0, 0,
	  "leave out: hlo, long-names, steps, modules, dcn-info, "
	  "done-rendezvous, channels, run-ids, local-ids, inputs; pytorch: "
	  "seq, kernel-args, distributed-info, frames", NA_PATH_NONE,
	  na_without_offered },
	{ NA_OPT_FLAG, 0, "shuffle-suffixes", FIELD(shuffle_suffixes), NULL,
	  NULL, 0, 0, "number send-done and recv-done unlike their start" },
	{ NA_OPT_COUNT, 0, "skip-planes", FIELD(skip_planes), "N", "0", 0, 64,
	  "leave out the planes of a host's first devices" },
	{ NA_OPT_TEXT, 0, "hlo-dump", FIELD(hlo_dump), "DIR", NULL, 0, 0,
	  "write each host's program as text and proto, too, below DIR/HOST",
	  NA_PATH_MAKE },
	{ NA_OPT_CHOICE, 0, "compress", FIELD(compress), "none|gzip|zstd",
	  "none", 0, 0, "pack the files" },
	{ NA_OPT_BYTES, 0, "size", FIELD(size_bytes), "BYTES", NULL, 1000,
	  1e12, "typical, network: about how large (default: 500MB); "
	  "captures: payload of the connections (default: 4MB)",
	  .brief = "about how large" },
	{ NA_OPT_COUNT, 0, "events", FIELD(events), "N", NULL, 16, 1e10,
	  "typical, network: exactly how many events" },
	{ NA_OPT_REAL, 0, "collective-ops", FIELD(collective_ops), "SHARE",
	  "0", 0, 0.9, "typical: this share of a device's ops are collectives "
	  "inside the slice" },
	{ NA_OPT_COUNT, 0, "connections", FIELD(connections), "N", "12", 0,
	  10000, "captures: TCP connections with bulk transfers" },
	{ NA_OPT_LIST, 0, "condition", FIELD(conditions), "KIND", NULL, 0, 0,
	  "captures: what the connections meet with, in turn: healthy, loss, "
	  "timeout, zero-window, window-limited, idle (default: all); of "
	  "RoCEv2 queue pairs roce-mixed, healthy, roce-loss, roce-timeout, "
	  "receiver-not-ready, congestion (default: roce-mixed)",
	  NA_PATH_NONE, na_condition_offered },
	{ NA_OPT_REAL, 0, "loss", FIELD(loss), "SHARE", "0.005", 0, 0.04,
	  "captures: about this share of the segments is lost, where the "
	  "condition is loss" },
	{ NA_OPT_COUNT, 0, "rpcs", FIELD(rpcs), "N", "200", 0, 1e6,
	  "captures: gRPC calls, all to host 0" },
	{ NA_OPT_BYTES, 0, "message", FIELD(message_bytes), "BYTES", "2KiB",
	  16, 16 << 20, "captures: what a call's answer holds, the median" },
	{ NA_OPT_COUNT, 0, "roce", FIELD(roce), "N", "200", 0, 1e8,
	  "captures: RoCEv2 messages" },
	{ NA_OPT_BYTES, 0, "snaplen", FIELD(snaplen_bytes), "BYTES", NULL, 64,
	  65535, "captures: cut the packets to so much (default: whole)" },
	NA_OPT_END,
};
/* clang-format on */

static const char details[] =
	"Writes DIR/plugins/profile/RUN/HOST.xplane.pb for each host, and "
	"DIR/truth.json, which states what is in them: counts, bytes, times, "
	"what each collective cost the devices, what steps were spent on, and "
	"the faults that were planted. The job is simulated: hosts host-0, "
	"host-1, ... run the same program; the device at the same place in "
	"each slice exchanges data with its peers while it computes; every "
	"host sends and receives within its link.\n"
	"\n"
	"Faults. HOST is host-3 or 3; a FACTOR is 1 or more:\n"
	"\n"
	"  slow-sender:HOST:FACTOR     everything it sends takes longer\n"
	"  slow-receiver:HOST:FACTOR   everything it receives takes longer\n"
	"  slow-host:HOST:FACTOR       both\n"
	"  slow-path:SRC:DST:FACTOR    one direction between two hosts\n"
	"  tail:HOST:SHARE             so many of its sends take 200 ms more\n"
	"  slow-compute:HOST:FACTOR    its devices compute slower\n"
	"  slow-reduction:HOST:FACTOR  what it reduces takes longer\n"
	"  registration:HOST:COUNT     memory registered while training\n"
	"  copy:HOST:COUNT             payload copied instead of mapped\n"
	"  small-slack:COLLECTIVE      finished at once after its start\n"
	"  clock:HOST:TIME             its clock is ahead (or behind: -TIME)\n"
	"  loopback:HOST:COUNT         receives from itself\n"
	"  no-latency:HOST:COUNT       receives without a latency\n"
	"  bad-key:HOST:COUNT          receives without their endpoints\n"
	"  program:HOST                it runs another program: one operation\n"
	"                              of another shape, one more\n"
	"  late-input:HOST:TIME        its steps wait so long for their input,\n"
	"  late-input:HOST:TIME:SHARE  or that share of them\n"
	"  large-shard:COLLECTIVE:BYTES  each of its transfers is so large\n"
	"  stall:COLLECTIVE:TIME       its copy back takes so much longer\n"
	"  truncate:HOST:BYTES         its file is cut to so many bytes,\n"
	"  truncate:HOST:SHARE         or to that share (0.5: half)\n"
	"\n"
	"With --profile pytorch it writes a file for each rank below "
	"DIR/kineto (traces of the profiler), DIR/recorder and "
	"DIR/recorder-json (dumps of the flight recorder) and DIR/inspector "
	"(logs of NCCL Inspector): ranks r0, r1, ..., one for each of the "
	"--devices of a host, in tensor, pipeline and data parallel groups "
	"that nest; clocks of hosts are off by up to 5 ms. Faults: slow-sender, "
	"slow-receiver, slow-host (what its NIC transfers takes longer), "
	"slow-compute, clock, as above, and these; RANK is r3 or 3:\n"
	"\n"
	"  late-rank:RANK:TIME         it comes so much later in each step\n"
	"  stuck-device:RANK           the last step hangs: its device does\n"
	"                              not leave a collective,\n"
	"  stuck-host:RANK             or its process never calls it,\n"
	"  mismatch:RANK               or calls another, or of another size,\n"
	"  missing-rank:RANK           or is gone: there is no dump of it\n"
	"\n"
	"With -o NAME.pcap or NAME.pcapng it writes a packet capture instead, "
	"and NAME.pcap.truth.json: bulk transfers over TCP (port 8471), gRPC "
	"calls over cleartext HTTP/2 (port 50051; one in forty takes 200 ms "
	"more) and RoCEv2 messages of the hosts 10.1.0.1, 10.1.0.2, ..., seen "
	"beside the sender. The connections meet with these conditions in turn:\n"
	"\n"
	"  healthy         nothing\n"
	"  loss            the network loses segments: duplicate ACKs with\n"
	"                  SACK, fast retransmissions\n"
	"  timeout         the last segment is lost: sent again after 200 ms,\n"
	"                  400 ms ...\n"
	"  zero-window     the receiver does not read: its window closes\n"
	"  window-limited  a window of eight segments, a longer way\n"
	"  idle            the sender has little to send, now and then\n"
	"\n"
	"and RoCEv2 queue pairs, as many as there are such, with\n"
	"\n"
	"  roce-mixed          now and then some of what follows\n"
	"  healthy             nothing\n"
	"  roce-loss           packets are lost: sequence NAK, go-back-N\n"
	"  roce-timeout        the last packet is lost: sent again after 67 ms\n"
	"  receiver-not-ready  no buffer is posted: refused, sent again later\n"
	"  congestion          marks, congestion notifications";

static const char example[] =
	"netan synth -o /tmp/job --hosts 8\n"
	"netan synth -o /tmp/slow --hosts 8 --fault slow-sender:host-3:4\n"
	"netan synth -o /tmp/old --generation message --fault tail:1:0.01\n"
	"netan synth -o /tmp/gpus --profile gpu --fault slow-compute:2:1.2\n"
	"netan synth -o /tmp/ranks --profile pytorch --fault late-rank:r5:2ms\n"
	"netan synth -o /tmp/hung --profile pytorch --fault stuck-host:r3\n"
	"netan synth -o /tmp/big --profile typical --size 500MB\n"
	"netan synth -o /tmp/job.pcap --condition healthy --condition loss";

static void print_report(const struct na_synth_config *cfg,
			 const struct na_synth_report *r)
{
	bool capture = na_synth_is_capture(cfg->dir);
	uint64_t bytes = 0, events = 0;
	char size[NA_UNIT_BUF], count[NA_UNIT_BUF];

	for (size_t i = 0; i < r->n; i++) {
		const struct na_synth_file *f = &r->files[i];

		bytes += f->bytes;
		events += f->events;
		/* The last is the truth: it is always named. */
		if (i >= SHOWN_FILES && i + 1 < r->n)
			continue;
		if (i + 1 == r->n && r->n > SHOWN_FILES + 1)
			printf("  ... and %zu more files\n",
			       r->n - 1 - SHOWN_FILES);
		printf("  %s  %" PRIu64 " bytes\n", f->path, f->bytes);
	}
	printf("wrote %zu files, %s, %s %s\n", r->n,
	       na_print_bytes(size, (double)bytes, 3),
	       na_print_count(count, events), capture ? "packets" : "events");
	printf("next: netan %s ", r->hangs ? "hang" : "info");
	na_shell_put_path(stdout, capture ? r->files[0].path
				  : cfg->profile == NA_PROFILE_PYTORCH
					  ? r->session
					  : cfg->dir);
	putchar('\n');
}

static enum na_exit synth_run(struct na_cli *cli)
{
	const struct na_synth_config *cfg = cli->params;
	struct na_synth_report report;
	struct na_err err = {0};
	enum na_status st;

	if (!cfg->dir || !*cfg->dir) {
		na_say_error(&cli->request,
			     "no output directory is given; add -o DIR");
		return NA_EXIT_USAGE;
	}
	if (cli->request.n_inputs) {
		na_say_error(&cli->request,
			     "synth reads no input: \"%s\" is one too "
			     "many; the output directory is given with -o",
			     cli->request.inputs[0].path);
		return NA_EXIT_USAGE;
	}
	st = na_synth_run(cfg, &report, &err);
	if (st)
		na_say_error(&cli->request, "%s", err.text);
	else if (!cli->common.quiet)
		print_report(cfg, &report);
	na_synth_report_fini(&report);
	return st == NA_EUSAGE ? NA_EXIT_USAGE
	       : st            ? NA_EXIT_FAILED
			       : NA_EXIT_OK;
}

static const struct na_command_info synth_info = {
	.name = "synth",
	.question = "make a trace or a capture with known content, as an "
		    "example",
	.usage = "-o DIR|NAME.pcap [OPTION…]",
	.details = details,
	.example = example,
	.matter = "output,profile,hosts,devices,steps,fault,generation,"
		  "compress,seed,size",
	.opts = opts,
	.params_size = sizeof(struct na_synth_config),
};

const struct na_command na_cmd_synth = {
	.info = &synth_info,
	.joins = NA_JOIN_QUIET,
	.run = synth_run,
};
