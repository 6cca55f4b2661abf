/* Exports of Nsight Systems, made here by SQL: what is read of them, and what
 * is said of databases that are none, or broken, or not what they seem. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "ingest/gpu/file_name.h"
#include "ingest/nsight/db.h"
#include "netan/base/vec.h"
#include "tests/unit/reading.h"

#define RANK_RECORDS (NA_WANT_COMMS | NA_WANT_BUSY | NA_WANT_STEPS)

static const char tables[] =
	"PRAGMA page_size = 512;"
	"CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);"
	"CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId,"
	" streamId, correlationId, globalPid, shortName, demangledName);"
	"CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start, globalTid,"
	" correlationId);"
	"CREATE TABLE NVTX_EVENTS (start, end, eventType, text, textId,"
	" globalTid, domainId, binaryData);"
	"CREATE TABLE NVTX_PAYLOAD_SCHEMA_ENTRIES (domainId, schemaId, type,"
	" name, offset);"
	"CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs,"
	" systemClockNs);"
	"INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (5000, 100);"
	"INSERT INTO StringIds VALUES (1, 'ncclDevKernel_SendRecv'),"
	" (2, 'gemm'), (3, 'ncclDevKernel_AllGather_RING_LL'),"
	" (4, 'ncclGroupStart'), (5, 'ncclGroupEnd'), (6, 'ncclSend'),"
	" (7, 'ncclRecv'), (8, 'ncclDevKernel_Generic_1');"
	"INSERT INTO NVTX_PAYLOAD_SCHEMA_ENTRIES VALUES"
	" (1, 10, 18, 'NCCL communicator ID', NULL),"
	" (1, 10, 5, 'No. of ranks', 8), (1, 10, 5, 'Rank', 12),"
	" (1, 10, 5, 'CUDA device', 16),"
	" (1, 11, 18, 'NCCL communicator ID', NULL),"
	" (1, 11, 22, 'Message size [bytes]', 8), (1, 11, 5, 'Peer rank', 16);";

#define PID(n) #n " * 16777216"
#define TID(n) #n " * 16777216 + 5"

/* The head of a payload and two fields of 64 bits, then one of 32. */
#define U32(x) #x "000000"
#define U64(x) #x "00000000000000"
#define BLOB(schema, a, b, c) \
	"x'" U64(01) U64(schema) U64(14) U64(34) U64(a) b c "'"
#define INIT(comm, ranks, rank, device) \
	BLOB(0a, comm, U32(ranks) U32(rank), U32(device))
#define CALL(comm, bytes, peer) BLOB(0b, comm, U64(bytes), U32(peer))

/* The bytes of a database, to be freed. */
static void *database(const char *first, const char *more, size_t *n)
{
	sqlite3_int64 size;
	sqlite3 *db;
	void *copy;
	uint8_t *p;

	assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
	if (sqlite3_exec(db, first, NULL, NULL, NULL) != SQLITE_OK ||
	    sqlite3_exec(db, more, NULL, NULL, NULL) != SQLITE_OK)
		fail_msg("%s", sqlite3_errmsg(db));
	p = sqlite3_serialize(db, "main", &size, 0);
	assert_non_null(p);
	copy = malloc((size_t)size);
	assert_non_null(copy);
	memcpy(copy, p, (size_t)size);
	sqlite3_free(p);
	sqlite3_close(db);
	*n = (size_t)size;
	return copy;
}

static void read_database(struct reading *r, const char *first,
			  const char *more)
{
	size_t n;
	void *p = database(first, more, &n);

	read_bytes(r, p, n, RANK_RECORDS);
	free(p);
}

static void expect(const char *more, const char *want)
{
	struct reading r;

	read_database(&r, tables, more);
	if (r.status != NA_OK)
		fail_msg("%s", r.err.text);
	assert_string_equal(r.text, want);
	reading_end(&r);
}

static bool warned(const struct reading *r, const char *part)
{
	for (const struct na_warning *w = r->in.warnings; w; w = w->next) {
		if (strstr(w->text, part))
			return true;
	}
	return false;
}

static void refused(const char *first, const char *more, const char *part)
{
	struct reading r;

	read_database(&r, first, more);
	assert_int_equal(r.status, NA_EFORMAT);
	if (!strstr(r.err.text, part))
		fail_msg("\"%s\" is not in: %s", part, r.err.text);
	reading_end(&r);
}

/* ---- what is read */

/* clang-format off */
static const char kernels[] =
	"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES"
	" (200, 300, 0, 7, 1, " PID(1) ", 1, NULL),"
	" (250, 260, 0, 8, 2, " PID(1) ", 2, NULL),"
	" (210, 300, 1, 15, 1, " PID(2) ", 1, NULL);"
	"INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES"
	" (150, " TID(1) ", 1), (160, " TID(2) ", 1), (151, " TID(1) ", 2);";

/* PyTorch's range around a group of sends and receives. */
static const char group[] =
	"INSERT INTO NVTX_EVENTS VALUES"
	" (10, 190, 59, 'nccl:all_to_all, op_id = 3', NULL, " TID(1) ", 0, NULL),"
	" (20, 21, 59, NULL, 4, " TID(1) ", 1, NULL),"
	" (30, 31, 59, NULL, 6, " TID(1) ", 1, NULL),"
	" (40, 41, 59, NULL, 7, " TID(1) ", 1, NULL),"
	" (140, 170, 59, NULL, 5, " TID(1) ", 1, NULL);";
/* clang-format on */

/* Kernels of two processes with the same correlation; devices are ranks. */
static void by_devices(void **state)
{
	struct reading r;

	(void)state;
	expect(kernels,
	       "M kernel rank 0 0 100000 op 11 - of [-]x0 s0 q-1 peer -1\n"
	       "B rank 0 50000 60000\n"
	       "M kernel rank 1 10000 100000 op 11 - of [-]x0 s0 q-1 peer "
	       "-1\n");
	read_database(&r, tables, kernels);
	assert_true(r.in.has_wall && r.in.first_ns == 5100);
	assert_int_equal(r.in.rank, -1);
	assert_true(warned(&r, "device numbers are taken"));
	assert_false(warned(&r, "--include-blobs"));
	reading_end(&r);
}

static void by_groups(void **state)
{
	char *sql = NULL;
	struct reading r;

	(void)state;
	assert_true(asprintf(&sql, "%s%s", kernels, group) > 0);
	expect(sql, "M kernel rank 0 0 100000 op 6 - of [-]x0 s0 q-1 peer -1\n"
		    "B rank 0 50000 60000\n"
		    "M kernel rank 1 10000 100000 op 11 - of [-]x0 s0 q-1 peer "
		    "-1\n");
	read_database(&r, tables, sql);
	assert_true(warned(&r, "2 operations were not exported: export again "
			       "with --include-blobs=true"));
	reading_end(&r);
	free(sql);
}

/* Two of four ranks are here, crosswise: device 0 is rank 3. */
/* clang-format off */
static const char payloads[] =
	"INSERT INTO NVTX_EVENTS VALUES"
	" (1, 2, 59, 'ncclCommInitRank', NULL, " TID(1) ", 1, "
		INIT(77, 04, 03, 00) "),"
	" (1, 2, 59, 'ncclCommInitRank', NULL, " TID(2) ", 1, "
		INIT(77, 04, 01, 01) "),"
	" (3, 4, 59, 'ncclCommSplit', NULL, " TID(1) ", 1, "
		INIT(88, 02, 01, 00) "),"
	" (3, 4, 59, 'ncclCommSplit', NULL, " TID(2) ", 1, "
		INIT(88, 02, 00, 01) "),"
	" (110, 115, 59, 'ncclAllGather', NULL, " TID(1) ", 1, "
		CALL(77, 40, 00) "),"
	" (120, 125, 59, 'ncclSend', NULL, " TID(1) ", 1, "
		CALL(88, 20, 00) "),"
	" (130, 135, 59, 'ncclRecv', NULL, " TID(2) ", 1, "
		CALL(88, 20, 01) "),"
	" (140, 145, 59, 'ncclAllReduce', NULL, " TID(2) ", 1, "
		CALL(99, 10, 00) "),"
	" (100, 900, 59, 'step 12', NULL, " TID(2) ", 0, NULL),"
	" (100, 900, 34, 'step 13', NULL, " TID(2) ", 0, NULL),"
	" (100, NULL, 59, 'step 14', NULL, " TID(2) ", 0, NULL);"
	"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES"
	" (200, 300, 0, 7, 1, " PID(1) ", 3, NULL),"
	" (310, 320, 0, 7, 2, " PID(1) ", 1, NULL),"
	" (310, 320, 1, 15, 1, " PID(2) ", 1, NULL),"
	" (330, 340, 1, 15, 2, " PID(2) ", 8, NULL);"
	"INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES"
	" (112, " TID(1) ", 1), (122, " TID(1) ", 2),"
	" (132, " TID(2) ", 1), (142, " TID(2) ", 2);";

/* The same of exports that hold payloads as text. */
static const char texts[] =
	"ALTER TABLE NVTX_EVENTS ADD jsonText;"
	"INSERT INTO NVTX_EVENTS VALUES"
	" (110, 115, 59, 'ncclAllReduce', NULL, " TID(1) ", 1, NULL,"
	"  '{\"NCCL communicator ID\": \"1,000\", \"x\": [7],"
	"    \"Message size [bytes]\": 1048576}');"
	"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES"
	" (200, 300, 0, 7, 1, " PID(1) ", 8, NULL);"
	"INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (112, " TID(1) ", 1);";
/* clang-format on */

static void by_texts(void **state)
{
	(void)state;
	expect(texts, "M kernel rank 0 0 100000 op 3 size 1048576 - of "
		      "[communicator 0x3e8]x0 s0 q-1 peer -1\n");
}

static void by_payloads(void **state)
{
	struct reading r;

	(void)state;
	read_database(&r, tables, payloads);
	assert_int_equal(r.status, NA_OK);
	assert_string_equal(
		r.text,
		"S step -100000 700000 12 plane 1 \"step 12\"\n"
		/* 0x40 bytes of each of four */
		"M kernel rank 3 0 100000 op 4 size 256 - of [0,1,2,3]x4 s0 "
		"q-1 peer -1\n"
		"M kernel rank 3 110000 120000 op 1 size 32 - of [1,3]x2 s0 "
		"q-1 peer 1\n"
		"M kernel rank 1 110000 120000 op 2 size 32 - of [1,3]x2 s0 "
		"q-1 peer 3\n"
		"M kernel rank 1 130000 140000 op 3 size 16 - of "
		"[communicator 0x99]x0 s0 q-1 peer -1\n");
	assert_int_equal(r.in.world_size, 4);
	assert_false(warned(&r, "rank"));
	reading_end(&r);
}

static void by_environment(void **state)
{
	struct reading r;

	(void)state;
	read_database(&r, tables,
		      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES"
		      " (1, 2, 0, 7, 1, 0, 1, NULL);"
		      "CREATE TABLE META_DATA_CAPTURE (name, value);"
		      "INSERT INTO META_DATA_CAPTURE VALUES"
		      " ('PROCESS_0:ENVIRONMENT_VARIABLE', 'RANK=\"x\"'),"
		      " ('PROCESS_0:ENVIRONMENT_VARIABLE',"
		      "  'SLURM_PROCID=\"3\"'),"
		      " ('PROCESS_0:ENVIRONMENT_VARIABLE', 'RANK=\"5\"'),"
		      " ('PROCESS_0:ENVIRONMENT_VARIABLE',"
		      "  'WORLD_SIZE=\"8\"');");
	assert_int_equal(r.in.rank, 5);
	assert_int_equal(r.in.world_size, 8);
	reading_end(&r);
	assert_int_equal(na_rank_of_path("a-rank/profile_rank3.sqlite"), 3);
	assert_int_equal(na_rank_of_path("profile.sqlite"), -1);
}

/* Bytes that were inflated are read like those of a file. */
static void packed(void **state)
{
	struct reading plain, gzip;
	size_t n;
	void *p = database(tables, payloads, &n);

	(void)state;
	read_bytes(&plain, p, n, RANK_RECORDS);
	read_packed(&gzip, p, n, RANK_RECORDS);
	assert_string_equal(plain.text, gzip.text);
	assert_string_equal(gzip.in.packed, "gzip");
	reading_end(&plain);
	reading_end(&gzip);
	free(p);
}

/* ---- what is not there */

static void reduced(void **state)
{
	struct reading r;

	(void)state;
	read_database(&r,
		      "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end,"
		      " deviceId, shortName);",
		      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES"
		      " (1, 4, 0, 1), (9, 3, 0, 1), (5, 6, NULL, 1),"
		      " (-9223372036854775807, 9223372036854775807, 0, 1);");
	assert_int_equal(r.status, NA_OK);
	assert_string_equal(r.text, "L damaged 1\nL damaged 1\nL damaged 1\n"
				    "L damaged 1\n");
	assert_true(warned(&r, "no table StringIds (names of kernels), "));
	assert_true(warned(&r, "NVTX_EVENTS"));
	assert_true(warned(&r, "TARGET_INFO_SESSION_START_TIME"));
	assert_false(r.in.has_wall);
	reading_end(&r);
}

static void not_exports(void **state)
{
	(void)state;
	refused("CREATE TABLE t (a);", "",
		"without the table CUPTI_ACTIVITY_KIND_KERNEL");
	refused("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end);", "",
		"has no column deviceId");
}

/* Views, virtual tables and expressions are never run. */
static void nothing_runs(void **state)
{
	struct reading r;

	(void)state;
	refused("CREATE TABLE t (a);",
		"CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS SELECT a start,"
		" a end, a deviceId, a shortName FROM t;",
		"without the table CUPTI_ACTIVITY_KIND_KERNEL");
	refused("CREATE TABLE t (a);",
		"CREATE VIRTUAL TABLE CUPTI_ACTIVITY_KIND_KERNEL USING"
		" fts3(start, end, deviceId, shortName);",
		"without the table CUPTI_ACTIVITY_KIND_KERNEL");
	refused("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (end, deviceId,"
		" shortName, start AS (abs(end)));",
		"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1, 0, 1);",
		"without the table CUPTI_ACTIVITY_KIND_KERNEL");
	read_database(&r,
		      "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start PRIMARY"
		      " KEY, end, deviceId, shortName) WITHOUT ROWID;",
		      "");
	assert_true(r.in.damaged);
	reading_end(&r);
}

static void with_log(void **state)
{
	struct reading r;
	size_t n;
	uint8_t *p = database(tables, kernels, &n);

	(void)state;
	p[18] = p[19] = 2;
	read_bytes(&r, p, n, RANK_RECORDS);
	assert_int_equal(r.status, NA_EFORMAT);
	assert_non_null(strstr(r.err.text, "-wal file"));
	reading_end(&r);
	free(p);
}

/* ---- damage */

/* What is wrong is said, and there are no more kernels than bytes for them. */
static void survives(const uint8_t *p, size_t n)
{
	struct reading r;

	read_bytes(&r, p, n, RANK_RECORDS);
	if (r.status == NA_OK)
		assert_true(r.in.events <= n / 4);
	else
		assert_true(r.err.text[0]);
	reading_end(&r);
}

static void cut_anywhere(void **state)
{
	size_t n;
	uint8_t *p = database(tables, payloads, &n);

	(void)state;
	for (size_t i = 0; i < n; i += i < 200 ? 1 : 7)
		survives(p, i);
	free(p);
}

static void changed_anywhere(void **state)
{
	size_t n;
	uint8_t *p = database(tables, payloads, &n);
	uint32_t x = 12345;

	(void)state;
	for (int i = 0; i < 3000; i++) {
		uint8_t was;
		size_t at;

		x = x * 1664525 + 1013904223;
		at = (x >> 8) % n;
		was = p[at];
		p[at] ^= (uint8_t)(1 + x % 255);
		if (at >= 20)
			survives(p, n);
		p[at] = was;
	}
	free(p);
}

/* Pages that go on in themselves hold more than the file is long: as if it
 * were shorter. */
static void endless_texts(void **state)
{
	struct na_err err = {.status = NA_OK};
	struct na_ns_rows rows;
	struct na_ns_db db;
	enum na_status st;
	size_t n;
	uint8_t *p = database(tables, kernels, &n);

	(void)state;
	assert_int_equal(na_ns_open(&db, p, n, &err), NA_OK);
	db.size = 20;
	st = na_ns_rows(&db, NS_STRINGS, INT64_MIN, INT64_MAX, &rows, &err);
	while (st == NA_OK)
		st = na_ns_next(&rows, &err);
	na_ns_end(&rows);
	na_ns_close(&db);
	assert_int_equal(st, NA_EFORMAT);
	assert_int_equal(rows.n, 3); /* 22 and 4 bytes, and 31 */
	assert_non_null(strstr(err.text, "StringIds: its texts are longer"));
	free(p);
}

/* A page of one table in the place of another's, again and again. */
static void pages_moved(void **state)
{
	enum { PAGE = 512 };
	size_t n;
	uint8_t *p = database(tables, payloads, &n), saved[PAGE];

	(void)state;
	for (size_t to = PAGE; to + PAGE <= n; to += PAGE) {
		memcpy(saved, p + to, PAGE);
		for (size_t from = PAGE; from + PAGE <= n; from += PAGE) {
			memcpy(p + to, p + from, PAGE);
			survives(p, n);
			memcpy(p + to, saved, PAGE);
		}
	}
	free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_devices),
		cmocka_unit_test(by_groups),
		cmocka_unit_test(by_payloads),
		cmocka_unit_test(by_texts),
		cmocka_unit_test(by_environment),
		cmocka_unit_test(packed),
		cmocka_unit_test(reduced),
		cmocka_unit_test(not_exports),
		cmocka_unit_test(nothing_runs),
		cmocka_unit_test(with_log),
		cmocka_unit_test(cut_anywhere),
		cmocka_unit_test(changed_anywhere),
		cmocka_unit_test(endless_texts),
		cmocka_unit_test(pages_moved),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
