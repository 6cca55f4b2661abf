/* capture: packets or transfers from a live interface. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "netan/base/str.h"
#include "netan/base/text.h"
#include "netan/base/units.h"
#include "netan/cli/commands/capture_out.h"
#include "netan/cli/commands/privileges.h"
#include "netan/cli/output/place.h"
#include "netan/cli/sandbox/shut_in.h"
#include "netan/engine/session/session.h"

/* Ethernet, two VLAN tags, IPv6 and TCP with all its options: 14 + 8 + 40 +
 * 60 bytes.  Contents stay out of the file unless they are asked for. */
#define HEADERS_ONLY "128"
enum { HEADERS = 128, WHOLE_PACKETS = 262144 };
enum { WAIT_MS = 100, DRAIN_MS = 250 }; /* the kernel holds for 100 ms */
#define FLUSH_EVERY_NS INT64_C(1000000000)

struct params {
	const char *interface, *output, *transfers, *filter;
	int64_t duration_ps, max_bytes, packets, ring, file_bytes, snap_bytes;
	int64_t buffer_bytes;
	bool list, no_promiscuous;
};

#define FIELD(name) offsetof(struct params, name)

/* clang-format off */
static const struct na_opt opts[] = {
	{ NA_OPT_TEXT, 'i', "interface", FIELD(interface), "IFACE", NULL, 0, 0,
	  "the interface to listen on; any is all of them" },
	{ NA_OPT_FLAG, 0, "list", FIELD(list), NULL, NULL, 0, 0,
	  "list the interfaces and end" },
	{ NA_OPT_TEXT, 'o', "output", FIELD(output), "FILE", NULL, 0, 0,
	  "packets to FILE: pcap, or pcapng if it ends in .pcapng; - is "
	  "standard output", NA_PATH_WRITE },
	{ NA_OPT_TEXT, 0, "transfers", FIELD(transfers), "FILE", NULL, 0, 0,
	  "instead of packets, only the transfers, calls and connections "
	  "that they make, to a transfer file; - is standard output",
	  NA_PATH_WRITE,
	  .brief = "instead of packets, the transfers that they make" },
	{ NA_OPT_TEXT, 0, "filter", FIELD(filter), "EXPR", NULL, 0, 0,
	  "only packets that match, in capture-filter syntax: "
	  "\"tcp port 8471\"",
	  .brief = "only packets that match: 'tcp port 8471'" },
	{ NA_OPT_TIME, 0, "duration", FIELD(duration_ps), "TIME", NULL, 1,
	  8e18, "end after TIME: 30s" },
	{ NA_OPT_COUNT, 0, "packets", FIELD(packets), "N", NULL, 1, 9e15,
	  "end after N packets" },
	{ NA_OPT_BYTES, 0, "max-bytes", FIELD(max_bytes), "BYTES", NULL, 1024,
	  1e18, "end before more than BYTES are written: 10GB" },
	{ NA_OPT_BYTES, 0, "file-size", FIELD(file_bytes), "BYTES", NULL, 1024,
	  1e18, "begin another file after BYTES: FILE-00001.pcap, ..." },
	{ NA_OPT_COUNT, 0, "ring", FIELD(ring), "N", NULL, 1, 100000,
	  "with --file-size: keep the last N files",
	  .brief = "keep the last N files of --file-size" },
	{ NA_OPT_BYTES, 0, "snaplen", FIELD(snap_bytes), "BYTES", NULL, 16,
	  262144, "keep so much of each packet (default: " HEADERS_ONLY ", "
	  "the headers; --transfers: all)" },
	{ NA_OPT_BYTES, 0, "buffer", FIELD(buffer_bytes), "BYTES", "16MiB",
	  65536, 2e9, "what the kernel may hold while we are busy" },
	{ NA_OPT_FLAG, 0, "no-promiscuous", FIELD(no_promiscuous), NULL, NULL,
	  0, 0, "only packets from and to this host" },
	NA_OPT_END,
};
/* clang-format on */

struct run {
	const struct na_cli *cli;
	const struct params *p;
	struct na_live *live;
	struct na_capture_out out;
	struct na_capture_kept *kept; /* NULL: packets are written */
	int64_t started_ns, flushed_ns, last_packet_ns;
	int64_t stop_ns; /* on the wall clock; 0: not yet */
	uint64_t packets;
	bool enough;
	struct na_err err;
};

static void list_one(void *ctx, const char *name, const char *what, bool up)
{
	char text[200];

	(void)ctx;
	na_escape(NA_ESC_TERMINAL, what, text, sizeof(text));
	printf("%-16s  %s%s%s\n", name, up ? "up" : "down",
	       !text[0] ? ""
	       : up     ? "    "
			: "  ",
	       text);
}

static enum na_exit list_interfaces(const struct na_cli *cli)
{
	struct na_err err = {.status = NA_OK};

	if (na_live_list(list_one, NULL, &err) == NA_OK)
		return NA_EXIT_OK;
	na_say_error(&cli->request, "%s", err.text);
	return NA_EXIT_FAILED;
}

/* What is wrong with the command line; NULL: nothing. */
static const char *capture_mistake(const struct na_cli *cli)
{
	const struct params *p = cli->params;
	const char *target = p->output ? p->output : p->transfers;

	if (cli->request.n_inputs)
		return "capture reads no file; the interface is given with -i "
		       "IFACE";
	if (p->list)
		return NULL;
	if (!p->interface || !*p->interface)
		return "no interface is given; add -i IFACE (--list names "
		       "them)";
	if (!target || !*target)
		return "no output is given; add -o FILE.pcap, or --transfers "
		       "FILE.netan";
	if (p->output && p->transfers)
		return "-o keeps packets, --transfers keeps transfers instead: "
		       "one of them";
	if (cli->common.anonymize && !p->transfers)
		return "--anonymize needs --transfers: packets hold addresses";
	if (p->ring && !p->file_bytes)
		return "--ring needs --file-size";
	if (p->file_bytes && (p->transfers || !strcmp(target, "-")))
		return "--file-size needs -o FILE";
	if (na_is_stdout(target) && isatty(STDOUT_FILENO))
		return "packets are not for a terminal; redirect them, or give "
		       "-o FILE.pcap";
	return NULL;
}

static bool ends_in(const char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);

	return n >= m && !strcmp(s + n - m, end);
}

static enum na_status open_outputs(struct run *r)
{
	const struct params *p = r->p;
	const char *path = p->output ? p->output : p->transfers;
	enum na_status st = NA_OK;
	int fd;

	st = na_output_apart(r->cli, path, &r->err);
	if (st == NA_OK && strcmp(path, "-") != 0)
		st = na_outfile_check(path, &r->err);
	if (st == NA_OK && p->transfers) {
		r->kept = na_capture_kept_new(path, p->interface,
					      &r->cli->request, &r->err);
		st = r->err.status;
	} else if (st == NA_OK) {
		r->out = (struct na_capture_out){
			.path = path,
			.head = {.ng = ends_in(path, ".pcapng"),
				 .link = na_live_link(r->live),
				 .snap_bytes = na_live_snap(r->live),
				 .interface = p->interface},
			.max_bytes = (uint64_t)p->max_bytes,
			.max_file_bytes = (uint64_t)p->file_bytes,
			.ring = (uint64_t)p->ring,
		};
		st = na_capture_out_open(&r->out, &r->err);
	}
	if (st != NA_OK)
		return st;
	fd = r->kept                   ? na_capture_kept_fd(r->kept)
	     : r->out.stream != stdout ? fileno(r->out.stream)
				       : -1;
	st = na_privileges_drop(fd < 0 ? NULL : path, fd, &r->err);
	if (st == NA_OK)
		na_shut_in_capture(r->cli);
	return st;
}

static enum na_status open_live(struct run *r)
{
	const struct params *p = r->p;
	const struct na_live_options o = {
		.interface = p->interface,
		.filter = p->filter,
		.snap_bytes = p->snap_bytes  ? (uint32_t)p->snap_bytes
			      : p->transfers ? WHOLE_PACKETS
					     : HEADERS,
		.buffer_bytes = (uint64_t)p->buffer_bytes,
		.promiscuous = !p->no_promiscuous,
	};
	const char *remark;

	if (na_live_open(&r->live, &o, &remark, &r->err) != NA_OK)
		return r->err.status;
	if (remark)
		na_say_warning(&r->cli->request, "%s: %s", p->interface,
			       remark);
	return NA_OK;
}

static enum na_status take(void *ctx, const struct na_record *record)
{
	struct run *r = ctx;
	enum na_status st;

	if (r->stop_ns && record->time_ns > r->stop_ns)
		return NA_END;
	st = r->kept ? na_capture_kept_put(r->kept, record, &r->err)
		     : na_capture_out_put(&r->out, record, &r->err);
	if (st == NA_OK) {
		r->packets++;
		r->last_packet_ns = record->time_ns;
	}
	return st;
}

static enum na_status flush(struct run *r)
{
	int64_t now = na_now_ns();

	if (!r->kept)
		return na_capture_out_flush(&r->out, &r->err);
	if (now - r->flushed_ns < FLUSH_EVERY_NS)
		return NA_OK;
	r->flushed_ns = now;
	return na_capture_kept_flush(r->kept, &r->err);
}

/* What came before the end is still in the kernel's buffer, which hands on
 * a part of it when that is full or old. */
static enum na_status drain(struct run *r)
{
	uint64_t most = (uint64_t)r->p->packets;
	enum na_status st = NA_OK;
	struct timespec t;
	int64_t end_ns = na_now_ns() + DRAIN_MS * INT64_C(1000000);

	clock_gettime(CLOCK_REALTIME, &t);
	r->stop_ns = (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
	while (st == NA_OK && na_now_ns() < end_ns &&
	       (!most || r->packets < most))
		st = na_live_round(r->live, WAIT_MS,
				   most ? most - r->packets : 0, take, r,
				   &r->err);
	return st;
}

static enum na_status listen(struct run *r)
{
	int64_t end_ns = r->p->duration_ps / NA_PS_PER_NS + r->started_ns;
	uint64_t most = (uint64_t)r->p->packets;
	enum na_status st = NA_OK;

	while (st == NA_OK && !na_interrupted() &&
	       (!most || r->packets < most)) {
		int64_t left = WAIT_MS * INT64_C(1000000);

		if (r->p->duration_ps && end_ns - na_now_ns() < left)
			left = end_ns - na_now_ns();
		if (left <= 0)
			break;
		st = na_live_round(r->live, (int)(left / 1000000) + 1,
				   most ? most - r->packets : 0, take, r,
				   &r->err);
		if (st == NA_OK)
			st = flush(r);
	}
	if (st == NA_OK)
		st = drain(r);
	return st == NA_END ? NA_OK : st;
}

static void say_dropped(const struct run *r, const struct na_live_counts *c)
{
	if (c->kernel_dropped)
		na_say_warning(&r->cli->request,
			       "%" PRIu64 " packets were dropped by the "
			       "kernel, whose buffer was full: give a "
			       "narrower --filter, a lower --snaplen or a "
			       "larger --buffer",
			       c->kernel_dropped);
	if (c->adapter_dropped)
		na_say_warning(&r->cli->request,
			       "%" PRIu64 " packets were dropped by the "
			       "interface or its driver",
			       c->adapter_dropped);
}

/* "wrote cap-00003.pcap to cap-00005.pcap, the last 3 of 5 files" */
static void report_files(FILE *to, const struct run *r, const char *path)
{
	uint64_t n = r->out.files, ring = (uint64_t)r->p->ring;
	uint64_t kept = ring && ring < n ? ring : n;
	char *first = na_capture_out_name(path, n - kept + 1);
	char *last = na_capture_out_name(path, n);

	fprintf(to, "wrote %s", first ? first : path);
	if (kept > 1)
		fprintf(to, " to %s", last ? last : path);
	if (kept < n)
		fprintf(to, ", the last of %" PRIu64 " files", n);
	free(first);
	free(last);
}

static void report(const struct run *r, const struct na_live_counts *c,
		   uint64_t transfers, uint64_t bytes)
{
	const char *path = r->p->output ? r->p->output : r->p->transfers;
	FILE *to = na_is_stdout(path) ? stderr : stdout;
	char size[NA_UNIT_BUF], n[NA_UNIT_BUF], span[NA_UNIT_BUF];

	fprintf(to, "captured %s packets on %s in %s",
		na_print_count(n, r->packets), r->p->interface,
		na_print_time(span,
			      (na_now_ns() - r->started_ns) * NA_PS_PER_NS, 3));
	fprintf(to, "; received %s, ", na_print_count(n, c->received));
	fprintf(to, "the kernel dropped %s, ",
		na_print_count(n, c->kernel_dropped));
	fprintf(to, "the interface %s\n",
		na_print_count(n, c->adapter_dropped));
	if (!r->kept && r->p->file_bytes)
		report_files(to, r, path);
	else
		fprintf(to, "wrote %s",
			strcmp(path, "-") ? path : "standard output");
	fprintf(to, ", %s", na_print_bytes(size, (double)bytes, 3));
	if (r->kept)
		fprintf(to, ", %s transfer%s", na_print_count(n, transfers),
			na_plural(transfers));
	else if (r->p->file_bytes && r->out.files > 1)
		fputs(" altogether", to);
	fputc('\n', to);
}

static enum na_status end(struct run *r, bool whole)
{
	struct na_live_counts c;
	uint64_t transfers = 0, bytes = 0;
	enum na_status st;

	na_live_counts(r->live, &c);
	if (r->kept) {
		st = na_capture_kept_close(r->kept, &c, whole, &transfers,
					   &bytes, &r->err);
	} else {
		st = na_capture_out_close(&r->out, &c, r->last_packet_ns, whole,
					  &r->err);
		bytes = r->out.bytes;
	}
	if (!whole)
		return st;
	if (st == NA_OK && !r->cli->common.quiet)
		report(r, &c, transfers, bytes);
	say_dropped(r, &c);
	return st;
}

static enum na_exit capture_run(struct na_cli *cli)
{
	struct run r = {.cli = cli, .p = cli->params};
	const char *wrong = capture_mistake(cli);
	enum na_status st;

	if (wrong) {
		na_say_error(&cli->request, "%s", wrong);
		return NA_EXIT_USAGE;
	}
	if (r.p->list)
		return list_interfaces(cli);
	na_catch_interrupt();
	na_catch_termination();
	st = open_live(&r);
	if (st == NA_OK)
		st = open_outputs(&r);
	if (st == NA_OK) {
		if (isatty(STDERR_FILENO) && !cli->common.quiet)
			fprintf(stderr, "capturing on %s; Ctrl-C ends it\n",
				r.p->interface);
		r.started_ns = r.flushed_ns = na_now_ns();
		st = listen(&r);
	}
	if (r.kept || r.out.stream)
		st = end(&r, st == NA_OK) == NA_OK ? st : r.err.status;
	na_live_close(r.live);
	if (r.err.status != NA_OK)
		na_say_error(&cli->request, "%s", r.err.text);
	return st == NA_OK || st == NA_END ? NA_EXIT_OK
	       : st == NA_EUSAGE           ? NA_EXIT_USAGE
					   : NA_EXIT_FAILED;
}

/* Not before its socket and its outputs are open. */
static enum na_shut shut(const struct na_cli *cli)
{
	(void)cli;
	return NA_SHUT_NOT;
}

static const char details[] =
	"Captures until Ctrl-C, --duration, --packets or --max-bytes; the "
	"file is complete then. By default only the first " HEADERS_ONLY
	" bytes of each "
	"packet are kept: all of its headers, which is what TCP analysis "
	"needs, a tenth of the size, and nothing of what was said. HTTP/2 and "
	"gRPC calls are in the contents: --snaplen 256KiB keeps them.\n"
	"--transfers looks at whole packets and keeps none. With --anonymize "
	"all is written at the end, when every name is known that may stand in "
	"it.\n"
	"\n"
	"Only the right to capture is needed, no root: sudo setcap "
	"cap_net_raw+ep on the program gives it. Once interface and output "
	"are open, all privileges are given up, and the sandbox is entered.\n"
	"\n"
	"Times have nanoseconds if the adapter's have. What the kernel or the "
	"interface dropped is reported at the end, and in a pcapng file.";

static const struct na_command_info capture_info = {
	.name = "capture",
	.question = "record packets or transfers from a live interface",
	.usage = "-i IFACE -o FILE.pcap [OPTION…]",
	.details = details,
	.example =
		"netan capture -i eth0 -o dcn.pcap --filter 'tcp' --duration "
		"30s\n"
		"netan capture -i eth0 -o ring.pcap --file-size 1GB --ring 10\n"
		"netan capture -i eth0 --transfers job.netan --duration 1h\n"
		"netan capture --list",
	.opts = opts,
	.params_size = sizeof(struct params),
};

const struct na_command na_cmd_capture = {
	.info = &capture_info,
	.joins = NA_JOIN_NAMES | NA_JOIN_QUIET,
	.shut = shut,
	.run = capture_run,
};
