/*
 * Logs of NCCL, of PyTorch's watchdog and of RAS: lines that users posted in
 * issues (named beside them), from the text to who is named.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "ingest/logs/hang.h"
#include "ingest/nccl/ras.h"
#include "netan/analyses/hang/stall.h"
#include "netan/base/ranges.h"
#include "netan/base/str.h"
#include "tests/unit/reading.h"

#define NCCL(process, device, call, count, bytes, comm) \
	"h03r3n06:" process ":" process " [" device "] NCCL INFO " call \
	": opCount " count " sendbuff 0x7f5d recvbuff 0x7f5d count " bytes \
	" datatype 7 op 0 root 0 comm " comm " [nranks=4] stream 0x55be\n"

/* ROCm/rccl#429: the maintainers found that rank 2 calls AllGather. */
static const char rccl_429[] = NCCL("45006", "0", "AllReduce", "28c", "9984512",
				    "0x55bef0201370")
	NCCL("45006", "0", "AllReduce", "28d", "8149504", "0x55bef0201370")
		NCCL("45009", "1", "AllReduce", "28c", "9984512", "0x55a1")
			NCCL("45009", "1", "AllReduce", "28d", "8149504",
			     "0x55a1") NCCL("45012", "2", "AllGather", "28c",
					    "59205120", "0x559c24b55610")
				NCCL("45012", "2", "AllGather", "28d", "15360",
				     "0x559c24b55610") NCCL("45015", "3",
							    "AllReduce", "28c",
							    "9984512", "0x55a3")
					NCCL("45015", "3", "AllReduce", "28d",
					     "8149504", "0x55a3");

/* NVIDIA/nccl#1911: two are ahead; the thirty behind are the stragglers. */
static const char nccl_1911[] =
	"Group     Comms     Nodes     Ranks     Ranks     Ranks    Status  "
	"Errors\n"
	"    #  in group  per comm  per node  per comm  in group\n"
	"    0         1         4         8        32        32   RUNNING  "
	"MISMATCH\n\n"
	"#0-0 (fa93daea854b060b) MISMATCH\n"
	"  Communicator ranks have different AllGather operation counts\n"
	"  30 ranks have launched up to operation 640\n"
	"  2 ranks have launched up to operation 641\n"
	"  Rank 12 -- GPU 4 managed by process 323032 on node 10.137.190.124\n"
	"  Rank 13 -- GPU 5 managed by process 323033 on node 10.137.190.124\n";

#define CAUGHT(rank) \
	"[rank" rank "]:[E321 02:07:08.408271257 ProcessGroupNCCL.cpp:607] " \
	"[Rank " rank "] Watchdog caught collective operation timeout: " \
	"WorkNCCL(SeqNum=1580, OpType=ALLREDUCE, NumelIn=466119168, " \
	"NumelOut=466119168, Timeout(ms)=600000) ran for 600060 " \
	"milliseconds before timing out.\n"
#define STATUS(group, rank, work, enqueued, completed) \
	"[rank" rank "]:[E321 02:07:08.465150152 ProcessGroupNCCL.cpp:1664] " \
	"[" group " Rank " rank "] Exception (either an error or timeout) " \
	"detected by watchdog at work: " work \
	", last enqueued NCCL work: " enqueued \
	", last completed NCCL work: " completed ".\n"
#define DEFAULT "PG ID 0 PG GUID 0(default_pg)"

/* hiyouga/LlamaFactory#7396: all that speak are in the same operation. */
static const char llama_7396[] = "[80746] " CAUGHT("0") "[80747] " CAUGHT(
	"4") "[80748] " STATUS("PG 1", "0", "1580", "1582",
			       "1579") "[80749] " STATUS("PG 1", "3", "1580",
							 "1582", "1579")
	CAUGHT("2");

/* ---- from text to culprits */

static void describe(const struct na_stalls *x, struct na_str *out)
{
	char buf[200];

	for (size_t i = 0; i < x->v.n; i++) {
		const struct na_stall *s = &x->v.v[i];
		int32_t ranks[64];

		assert_true(s->culprits.n <= 64);
		for (size_t k = 0; k < s->culprits.n; k++)
			ranks[k] = s->culprits.v[k].rank;
		na_ranges_text(ranks, s->culprits.n, buf, sizeof(buf));
		na_str_join(out, "; ", "%s %s #%" PRId64 " by %u",
			    na_hang_cause_word(s->cause),
			    s->culprits.n ? buf : "nobody", s->sequence,
			    s->evidence);
	}
}

static void read_log(struct na_flight_record *x, const char *text, size_t n)
{
	struct na_err err = {.status = NA_OK};
	int fd = file_of(text, n);
	struct na_hang logs;
	char path[64];

	na_hang_init(&logs);
	logs.ranks = x;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_int_equal(na_hang_read(&logs, path, &err), NA_OK);
	close(fd);
	na_hang_fini(&logs);
}

static void expect_judged(struct na_flight_record *x, const char *wanted)
{
	struct na_stalls stalls = {.ranks = NULL};
	struct na_err err = {.status = NA_OK};
	struct na_str said = {0};

	assert_true(na_fr_complete(x));
	assert_int_equal(na_stalls_judge(&stalls, x, &err), NA_OK);
	describe(&stalls, &said);
	assert_string_equal(said.s ? said.s : "", wanted);
	free(said.s);
	na_stalls_fini(&stalls);
}

static void expect(const char *text, const char *wanted)
{
	struct na_flight_record x;

	na_fr_init(&x);
	read_log(&x, text, strlen(text));
	expect_judged(&x, wanted);
	na_fr_fini(&x);
}

/* ---- tests */

static void test_mismatch(void **state)
{
	(void)state;
	expect(rccl_429, "mismatch 2 #652 by 8");
}

static void test_ras_text_names_those_behind(void **state)
{
	(void)state;
	expect(nccl_1911, "host_stuck 0-11 and 14-31 #641 by 4");
}

static void test_watchdog(void **state)
{
	(void)state;
	expect(llama_7396, "unknown nobody #1580 by 16");
	expect(CAUGHT("0") STATUS(DEFAULT, "0", "1580", "1582", "1579")
		       CAUGHT("2") STATUS(DEFAULT, "2", "1580", "1582", "1579")
			       STATUS(DEFAULT, "1", "1579", "1579", "1579"),
	       "host_stuck 1 #1580 by 16");
	/* Who says nothing, while the others wait. */
	expect(CAUGHT("0") STATUS(DEFAULT, "0", "1580", "1582", "1579")
		       CAUGHT("2") STATUS(DEFAULT, "2", "1580", "1582", "1579"),
	       "missing_rank 1 #1580 by 16");
}

/* Eight ranks on two hosts, in the communicator of all and in one of four;
 * `late` stops three calls early in the latter. */
static void put_job(struct na_str *s, int late, int only)
{
	for (int r = 0; r < 8; r++) {
		if (only >= 0 && r != only)
			continue;
		for (int k = 0; k < 2; k++)
			na_str_addf(s,
				    "[1,%d]<stdout>:node%d:5%d:9%d [%d] NCCL "
				    "INFO ncclCommSplit comm 0x%d%d rank %d "
				    "nranks %d cudaDev %d nvmlDev %d busId "
				    "1b000 commId 0x%c%d - Init START\n",
				    r, r / 4, r, r, r % 4, k + 5, r,
				    k ? r % 4 : r, k ? 4 : 8, r % 4, r % 4,
				    k ? 'b' : 'a', k ? r / 4 : 0);
		for (int i = 0; i < (r == late ? 97 : 100); i++)
			na_str_addf(s,
				    "[1,%d]<stdout>:[2026-01-05 10:00:00] "
				    "node%d:5%d:5%d [%d] NCCL "
				    "INFO AllReduce: opCount %x sendbuff 0x1 "
				    "recvbuff 0x1 count %d datatype 9 op 0 "
				    "root 0 comm 0x6%d [nranks=4] stream 0x1\n",
				    r, r / 4, r, r, r % 4, i, 1000 + i, r);
	}
}

/* The log goes on without calls. */
static void put_silence(struct na_str *s)
{
	na_str_addf(s, "[1,0]<stdout>:[2026-01-05 10:02:01] still waiting\n");
}

static void test_behind_in_a_group(void **state)
{
	struct na_str s = {0};

	(void)state;
	put_job(&s, 6, -1);
	expect(s.s, ""); /* it may run */
	put_silence(&s);
	expect(s.s, "host_stuck 6 #97 by 8");
	free(s.s);
	s = (struct na_str){0};
	put_job(&s, -1, -1);
	expect(s.s, ""); /* they are all as far */
	free(s.s);
	/* Another clock, whose zone is told: two hours are no silence. */
	s = (struct na_str){0};
	put_job(&s, 6, -1);
	na_str_addf(&s, "2026-01-05T12:00:01Z INFO step 11\n");
	expect(s.s, "");
	free(s.s);
}

static void test_a_file_for_each_rank(void **state)
{
	struct na_flight_record x;

	(void)state;
	na_fr_init(&x);
	for (int r = 0; r < 8; r++) {
		struct na_str s = {0};
		struct na_flight_record one;

		na_fr_init(&one);
		put_job(&s, 6, r);
		put_silence(&s);
		read_log(&one, s.s, s.n);
		assert_int_equal(one.dumps.n, 1);
		assert_int_equal(one.dumps.v[0].rank, r);
		assert_true(na_fr_take(&x, &one));
		na_fr_fini(&one);
		free(s.s);
	}
	expect_judged(&x, "host_stuck 6 #97 by 8");
	na_fr_fini(&x);
}

static size_t put_ras(char *to, size_t room, const char *counts4,
		      const char *missing)
{
	struct na_str s = na_str_over(to, room);

	na_str_addf(&s, "{\"nccl_version\":\"2.28.7\",\"communicators\":[{"
			"\"size\":6,\"ranks\":[");
	for (int r = 0; r < (*missing ? 5 : 6); r++)
		na_str_addf(&s,
			    "%s{\"rank\":%d,\"host\":\"10.0.0.%d\",\"pid\":%d,"
			    "\"cuda_dev\":0,\"status\":{\"init_state\":0},"
			    "\"collective_counts\":{\"AllReduce\":%s}}",
			    r ? "," : "", r, r, 100 + r,
			    r == 4 ? counts4 : "640");
	na_str_addf(&s,
		    "],\"missing_ranks\":[%s],\"hash\":\"0xabc\"}],"
		    "\"ras\":{}}",
		    missing);
	return s.n;
}

static void expect_ras(const char *text, size_t n, const char *wanted)
{
	struct na_err err = {.status = NA_OK};
	struct na_flight_record x;

	na_fr_init(&x);
	assert_true(na_ras_sniff((const uint8_t *)text, n));
	assert_int_equal(na_ras_read_bytes(&x, "ras.json",
					   (const uint8_t *)text, n, &err),
			 NA_OK);
	expect_judged(&x, wanted);
	na_fr_fini(&x);
}

static void test_ras_json(void **state)
{
	char text[4096];
	size_t n;

	(void)state;
	n = put_ras(text, sizeof(text), "638", "");
	expect_ras(text, n, "host_stuck 4 #639 by 4");
	n = put_ras(text, sizeof(text), "640", "");
	expect_ras(text, n, "");
	n = put_ras(text, sizeof(text), "640",
		    "{\"rank\":5,\"host\":\"10.0.0.5\",\"pid\":105,"
		    "\"cuda_dev\":0,\"status\":{\"unresponsive\":true}}");
	expect_ras(text, n, "missing_rank 5 #640 by 4");
}

/* Cut anywhere: said, and nobody outside of it is named. */
static void test_every_cut_of_ras(void **state)
{
	char text[4096];
	size_t n;

	(void)state;
	n = put_ras(text, sizeof(text), "638", "");
	for (size_t k = 1; k < n; k++) {
		struct na_err err = {.status = NA_OK};
		struct na_flight_record x;

		na_fr_init(&x);
		assert_int_equal(na_ras_read_bytes(&x, "ras.json",
						   (const uint8_t *)text, k,
						   &err),
				 NA_EFORMAT);
		assert_non_null(strstr(err.text, "ras.json: breaks off"));
		assert_true(na_fr_complete(&x));
		na_fr_fini(&x);
	}
}

/* ---- years */

#define WORK(day, ms) \
	"[rank0]:[E" day " ProcessGroupNCCL.cpp:607] [Rank 0] Watchdog " \
	"caught collective operation timeout: WorkNCCL(SeqNum=1580, " \
	"OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=1) ran for " ms \
	" milliseconds before timing out.\n"

/* The year of a date without one is that of what else is told, and never
 * that of the file or of today. */
static void test_years(void **state)
{
	/* clang-format off */
	static const struct {
		const char *text, *beside; /* another input, or NULL */
		int64_t created_s;         /* 0: not known */
	} rows[] = {
		{WORK("603 17:48:01.5", "500"), NULL, 0},
		{WORK("0603 17:48:01.5", "500"), NULL, 0},
		{WORK("20260603 17:48:01.5", "500"), NULL, 1780508881},
		{"2026-06-01 08:00:00 step 5\n" WORK("603 17:48:01.5", "500"),
		 NULL, 1780508881},
		{WORK("0603 17:48:01.5", "500")
		 "2026/06/03 17:49:00 Traceback:\n", NULL, 1780508881},
		{WORK("603 17:48:01.5", "500"), "[2026-06-01 08:00:00] hi\n",
		 1780508881},
		/* across the end of a year */
		{"2026-12-31 23:50:00 x\n" WORK("101 00:05:00", "60000"), NULL,
		 1798761840},
		{"2026-12-31 23:50:00 x\n" WORK("101 00:05:00", "600000"), NULL,
		 1798761300},
		{"2027-01-01 00:09:00 x\n" WORK("1231 23:50:01", "1000"), NULL,
		 1798761000},
		/* of several years, or none; days that a year has not */
		{"2024-06-01 08:00:00 x\n2026-06-01 08:00:00 x\n"
		 WORK("603 17:48:01.5", "500"), NULL, 0},
		{"built 2024-06-01 08:00:00\n" WORK("603 17:48:01.5", "500"),
		 NULL, 0},
		{"2026-03-01 08:00:00 x\n" WORK("229 17:48:01.5", "500"), NULL,
		 0},
	};
	/* clang-format on */

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct na_flight_record x;
		int64_t ns = rows[i].created_s * 1000000000;

		na_fr_init(&x);
		read_log(&x, rows[i].text, strlen(rows[i].text));
		if (rows[i].beside)
			read_log(&x, rows[i].beside, strlen(rows[i].beside));
		assert_true(na_fr_complete(&x));
		assert_int_equal(x.dumps.n, 1);
		assert_int_equal(x.dumps.v[0].entries.n, 1);
		assert_int_equal(x.dumps.v[0].entries.v[0].created_ns,
				 ns ? ns : INT64_MIN);
		assert_int_equal(x.undated, ns == 0);
		na_fr_fini(&x);
	}
}

/* Lines that end early, or hold what they should not. */
static void test_hostile_lines(void **state)
{
	static const char *const bad[] = {
		"x:1:1 [0] NCCL INFO AllReduce: opCount ",
		"x:1:1 [0] NCCL INFO AllReduce: opCount fffffffffffffffff "
		"comm 0x1 [nranks=99999999999999999999]",
		"NCCL INFO : opCount 1 comm 0x1",
		"x:1:1 [0] NCCL INFO a comm 0x1 rank 9 nranks 1048577 commId 0x",
		"[rank1048576]: WorkNCCL(SeqNum=1, OpType=",
		"[rank1]: WorkNCCL(SeqNum=, OpType=ALLREDUCE",
		"[PG Rank 1] last enqueued work: , last completed work: ",
		"#0-0 () MISMATCH\n have different X operation counts\n"
		"99999999 ranks have launched up to operation 1",
		" Rank 1057455228 -- GPU 0 managed by process 1 on node x",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		expect(bad[i], "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mismatch),
		cmocka_unit_test(test_ras_text_names_those_behind),
		cmocka_unit_test(test_watchdog),
		cmocka_unit_test(test_behind_in_a_group),
		cmocka_unit_test(test_a_file_for_each_rank),
		cmocka_unit_test(test_ras_json),
		cmocka_unit_test(test_every_cut_of_ras),
		cmocka_unit_test(test_years),
		cmocka_unit_test(test_hostile_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
