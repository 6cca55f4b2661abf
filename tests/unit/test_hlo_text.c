/*
 * HLO modules as text, and directories of dumps.
 */
#include "ingest/hlo/hlo.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "netan/model/transfer.h"

static struct na_hlo hlo;
static struct na_err err;
static char warned[4096];

static int setup(void **state)
{
	(void)state;
	na_hlo_init(&hlo, true);
	err = (struct na_err){.status = NA_OK};
	warned[0] = '\0';
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	na_hlo_fini(&hlo);
	return 0;
}

/* In a block of exactly its size. */
static enum na_status read_n(const char *s, size_t n)
{
	char *copy = malloc(n ? n : 1);
	enum na_status st;

	assert_non_null(copy);
	memcpy(copy, s, n);
	err = (struct na_err){.status = NA_OK};
	st = na_hlo_read_text(&hlo, copy, n, na_hlo_worker(&hlo, "w"), &err);
	free(copy);
	return st;
}

static const struct na_hlo_module *must_read(const char *s)
{
	if (read_n(s, strlen(s)) != NA_OK)
		fail_msg("%s", err.text);
	return &hlo.modules[hlo.n_modules - 1];
}

static const char *shown(uint32_t name)
{
	return na_strtab_at(&hlo.strings, name);
}

static const char whole[] =
	"// dumped by hand\n"
	"HloModule jit_step, is_scheduled=true, "
	"entry_computation_layout={(bf16[8,128]{1,0})->bf16[8,128]{1,0}}, "
	"replica_count=2, num_partitions=4\n"
	"\n"
	"FileNames\n"
	"1 \"a{.py\"\n"
	"\n"
	"%add (x: bf16[], y: bf16[]) -> bf16[] {\n"
	"  %x = bf16[] parameter(0)\n"
	"  %y = bf16[] parameter(1)\n"
	"  ROOT %add.1 = bf16[] add(bf16[] %x, bf16[] %y), "
	"metadata={op_name=\"a{b\\\"\" source_file=\"x.py\"}\n"
	"}\n"
	"\n"
	"ENTRY %main.5 (p0: bf16[8,128]) -> bf16[8,128] {\n"
	"  %p0 = bf16[8,128]{1,0} parameter(0), sharding={replicated}\n"
	"  // a remark\n"
	"  %c = s32[2,2]{1,0} constant({ { 1, 2 },\n"
	"    { 3, 4 } })\n"
	"  %tok = token[] after-all()\n"
	"  %send.5 = (bf16[8,128]{1,0}, u32[], /*index=2*/token[]) "
	"send(bf16[8,128]{1,0} %p0, token[] %tok), channel_id=3, "
	"is_host_transfer=true, frontend_attributes={"
	"_xla_host_transfer_handler_name=\"xla_megascale_runtime\","
	"_xla_host_transfer_rendezvous=\"psum.4_0\","
	"_xla_megascale_transfer_type=\"ALL_REDUCE\"}\n"
	"  %send-done.9 = token[] send-done(%send.5), channel_id=3, "
	"is_host_transfer=true\n"
	"  %ar = bf16[8,128]{1,0} all-reduce(%p0), channel_id=1, "
	"replica_groups=[2,4]<=[8], to_apply=%add, "
	"control-predecessors={%send-done.9}\n"
	"  ROOT %r = bf16[8,128]{1,0} copy(%ar)\n"
	"}, execution_thread=\"main\"\n";

static void fields(void **state)
{
	const struct na_hlo_module *m = must_read(whole);
	const struct na_hlo_instruction *x = &m->instructions[6];

	(void)state;
	assert_string_equal(shown(m->name), "jit_step");
	assert_int_equal(m->form, NA_HLO_TEXT);
	assert_int_equal(m->replicas, 2);
	assert_int_equal(m->partitions, 4);
	assert_int_equal(m->n_computations, 2);
	assert_string_equal(shown(m->computations[0].name), "add");
	assert_string_equal(shown(m->computations[1].name), "main.5");
	assert_false(m->computations[0].entry);
	assert_true(m->computations[1].entry);
	assert_int_equal(m->computations[0].n, 3);
	assert_int_equal(m->computations[1].n, 7);
	assert_string_equal(shown(x->name), "send.5");
	assert_int_equal(x->opcode, NA_OPCODE_SEND);
	assert_int_equal(x->size_bytes, 2052);
	assert_int_equal(x->channel, 3);
	assert_true(x->host_transfer);
	assert_string_equal(shown(x->rendezvous), "psum.4_0");
	assert_int_equal(x->n_operands, 2);
	assert_int_equal(m->operands[x->first_operand], 3);
	assert_int_equal(m->operands[x->first_operand + 1], 5);
	assert_int_equal(m->instructions[4].n_operands, 0); /* constant */
	assert_int_equal(m->instructions[8].n_groups, 2);
	assert_int_equal(m->instructions[8].group_size, 4);
	assert_string_equal(shown(m->texts[2]), "bf16[] add(-2, -1)");
	assert_string_equal(shown(m->texts[4]),
			    "s32[2,2]{1,0} constant({ { 1, 2 }, { 3, 4 } })");
	assert_string_equal(shown(m->texts[7]),
			    "token[] send-done(-1), channel_id=3, "
			    "is_host_transfer=true");
	assert_string_equal(shown(m->texts[8]),
			    "bf16[8,128]{1,0} all-reduce(-5), channel_id=1, "
			    "replica_groups=[2,4]<=[8], to_apply=-1, "
			    "control-predecessors={-1}");
}

/* `to` in the place of every `from`; to be freed. */
static char *changed(const char *s, const char *from, const char *to)
{
	char *out = calloc(4, strlen(s) + 1), *p = out;
	size_t n = 0;

	assert_non_null(out);
	while (*s) {
		if (strncmp(s, from, strlen(from)) == 0) {
			p = stpcpy(p, to);
			s += strlen(from);
			n++;
		} else {
			*p++ = *s++;
		}
	}
	assert_true(n > 0);
	return out;
}

static uint64_t print_of(const char *from, const char *to)
{
	char *s = changed(whole, from, to);
	uint64_t x = must_read(s)->fingerprint;

	free(s);
	return x;
}

static void fingerprints(void **state)
{
	const uint64_t want = must_read(whole)->fingerprint;

	(void)state;
	/* Names, with and without %, layout, comments, where it is from. */
	assert_true(print_of("%send.5", "%send.77") == want);
	assert_true(print_of("%add", "%region_0.12") == want);
	assert_true(print_of("%", "") == want);
	assert_true(print_of("x.py", "another.py") == want);
	assert_true(print_of("/*index=2*/", "") == want);
	assert_true(print_of("\n", "\r\n") == want);
	assert_true(print_of("bf16[8,128]{1,0} %p0, token[] %tok",
			     "%p0, %tok") == want);
	assert_true(print_of(", metadata={",
			     ", origin={{\"a\"}}, metadata={") == want);
	/* What it does. */
	assert_true(print_of("bf16[8,128]{1,0} copy",
			     "bf16[8,128]{0,1} copy") != want);
	assert_true(print_of("add(bf16[] %x, bf16[] %y)",
			     "add(bf16[] %y, bf16[] %x)") != want);
	assert_true(print_of("channel_id=1", "channel_id=2") != want);
	assert_true(print_of("psum.4_0", "psum.5_0") != want);
	assert_true(print_of("{ 3, 4 }", "{ 3, 5 }") != want);
}

static void without_signatures(void **state)
{
	const struct na_hlo_module *m = must_read(
		"HloModule m\n\n"
		"body {\n  p = f32[4]{0} parameter(0)\n"
		"  ROOT n = f32[4]{0} negate(p)\n}\n\n"
		"ENTRY main {\n  a = f32[4]{0} parameter(0)\n"
		"  s = ((f32[4]{0}), f32[4]{0}) async-start(a), calls=body\n"
		"  ROOT c = f32[4]{0} call(a), to_apply=body\n}\n");

	(void)state;
	assert_int_equal(m->n_computations, 2);
	assert_int_equal(m->replicas, 1);
	assert_string_equal(shown(m->texts[4]),
			    "f32[4]{0} call(-2), to_apply=-1");
	assert_int_equal(m->operands[m->instructions[4].first_operand], 2);
}

static void damage(void **state)
{
	char *s = changed(whole, "send(bf16", "(bf16");
	const char *tail = strstr(whole, "}, execution");

	(void)state;
	assert_int_equal(read_n(s, strlen(s)), NA_EFORMAT);
	assert_non_null(strstr(err.text, "not an HLO instruction"));
	assert_true(atol(err.text + 5) == strstr(s, "%send.5 =") - s);
	free(s);
	assert_int_equal(read_n(whole, (size_t)(tail - whole)), NA_EFORMAT);
	assert_non_null(strstr(err.text, "ends inside a computation"));
	assert_int_equal(read_n("HloModule m\n", 12), NA_EFORMAT);
	assert_int_equal(read_n("module\n", 7), NA_EFORMAT);
	assert_int_equal(hlo.n_modules, 0);
	for (size_t n = 0; n < sizeof(whole); n++) {
		enum na_status st = read_n(whole, n);

		assert_true(st == NA_OK || st == NA_EFORMAT);
	}
}

static void is_text(void **state)
{
	(void)state;
	assert_true(na_hlo_is_text("HloModule m", 11));
	assert_true(na_hlo_is_text("\xef\xbb\xbf# x\n\n HloModule\tm", 19));
	assert_false(na_hlo_is_text("HloModuleX", 10));
	assert_false(na_hlo_is_text("BufferAssignment:\n", 18));
	assert_false(na_hlo_is_text("", 0));
}

/* ---- directories */

static char dir[64];

static void put(const char *name, const char *text)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "wb");
	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, strlen(text), f), strlen(text));
	assert_int_equal(fclose(f), 0);
}

static void make_dir(const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	assert_int_equal(mkdir(path, 0700), 0);
}

static void warn(void *ctx, const char *text)
{
	(void)ctx;
	snprintf(warned + strlen(warned), sizeof(warned) - strlen(warned),
		 "%s\n", text);
}

static size_t read_dir(const char *below, const char *worker)
{
	char path[256];
	size_t n;

	snprintf(path, sizeof(path), "%s%s", dir, below);
	if (na_hlo_read_path(&hlo, path, worker, warn, NULL, &n, &err) != NA_OK)
		fail_msg("%s", err.text);
	return n;
}

static const char *worker_of(size_t module)
{
	return hlo.workers[hlo.modules[module].worker].name;
}

#define MODULE(name, op) \
	"HloModule " name "\nENTRY e {\n  p = f32[4] parameter(0)\n" \
	"  ROOT r = f32[4] " op "(p)\n}\n"

static void dumps(void **state)
{
	(void)state;
	snprintf(dir, sizeof(dir), "/tmp/netan-dump-XXXXXX");
	assert_non_null(mkdtemp(dir));
	make_dir("host-10");
	make_dir("host-9");
	make_dir("host-9/more");
	make_dir("empty");
	/* Of one module what ran; not its passes, nor what came before. */
	put("host-9/module_0001.jit_f.before_optimizations.txt",
	    MODULE("jit_f", "negate"));
	put("host-9/module_0001.jit_f.0003.pass.txt", MODULE("jit_f", "abs"));
	put("host-9/module_0001.jit_f.tpu_after_optimizations.txt",
	    MODULE("jit_f", "copy"));
	put("host-9/module_0001.jit_f.tpu_after_optimizations-buffer-"
	    "assignment.txt",
	    "BufferAssignment:\n");
	put("host-9/module_0002.jit_g.before_optimizations.txt",
	    MODULE("jit_g", "negate"));
	put("host-9/notes.log", MODULE("jit_log", "copy"));
	put("host-9/notes.txt", "nothing to see\n");
	put("host-9/more/x.hlo", MODULE("jit_x", "copy"));
	put("host-10/broken.txt", "HloModule b\nENTRY e {\n");
	put("host-10/trace.xplane.pb", "\x0a\x0b\x12\x09/host:CPU");
	put("host-10/f.txt", MODULE("jit_f", "copy"));
	assert_int_equal(read_dir("", NULL), 4);
	assert_int_equal(hlo.n_modules, 4);
	assert_string_equal(worker_of(0), "host-9");
	assert_string_equal(shown(hlo.modules[0].name), "jit_f");
	assert_string_equal(shown(hlo.modules[0].texts[1]), "f32[4] copy(-1)");
	assert_string_equal(shown(hlo.modules[1].name), "jit_g");
	assert_string_equal(worker_of(2), "host-9/more");
	assert_string_equal(worker_of(3), "host-10");
	assert_true(hlo.modules[0].fingerprint == hlo.modules[3].fingerprint);
	assert_int_equal(hlo.n_workers, 3);
	assert_non_null(strstr(warned, "host-10/broken.txt: byte "));
	assert_int_equal(read_dir("/empty", NULL), 0);
	assert_int_equal(read_dir("/host-10/", "me"), 1);
	assert_string_equal(worker_of(4), "me");
	assert_int_equal(read_dir("/host-10/f.txt", NULL), 1);
	assert_string_equal(worker_of(5), "f.txt");
}

static void unreadable(void **state)
{
	char path[256];
	size_t n;

	(void)state;
	snprintf(path, sizeof(path), "%s/nowhere", dir);
	assert_int_equal(na_hlo_read_path(&hlo, path, NULL, warn, NULL, &n,
					  &err),
			 NA_EIO);
	assert_non_null(strstr(err.text, "nowhere"));
	/* Named by the user, so it must be a module, and whole. */
	err = (struct na_err){.status = NA_OK};
	snprintf(path, sizeof(path), "%s/host-9/notes.txt", dir);
	assert_int_equal(na_hlo_read_path(&hlo, path, NULL, warn, NULL, &n,
					  &err),
			 NA_EDOMAIN);
	assert_non_null(strstr(err.text, "no HLO module"));
	err = (struct na_err){.status = NA_OK};
	snprintf(path, sizeof(path), "%s/host-10/broken.txt", dir);
	assert_int_equal(na_hlo_read_path(&hlo, path, NULL, warn, NULL, &n,
					  &err),
			 NA_EFORMAT);
	assert_non_null(strstr(err.text, "broken.txt: byte "));
	snprintf(path, sizeof(path), "rm -r '%s'", dir);
	assert_int_equal(system(path), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(fields, setup, teardown),
		cmocka_unit_test_setup_teardown(fingerprints, setup, teardown),
		cmocka_unit_test_setup_teardown(without_signatures, setup,
						teardown),
		cmocka_unit_test_setup_teardown(damage, setup, teardown),
		cmocka_unit_test(is_text),
		cmocka_unit_test_setup_teardown(dumps, setup, teardown),
		cmocka_unit_test_setup_teardown(unreadable, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
