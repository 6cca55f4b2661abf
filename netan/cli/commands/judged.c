#include "netan/cli/commands/judged.h"

#include "members.h"

struct na_value *na_judged_inputs(struct na_result *r, const char *schema)
{
	struct na_value *doc = na_result_doc(r);

	na_put_text(r, doc, M_schema, schema);
	na_put_text(r, doc, M_netan_version, NETAN_VERSION);
	return na_put_list(r, doc, M_inputs);
}

struct na_value *na_judged_input(struct na_result *r, struct na_value *inputs,
				 const char *path, const char *label,
				 const char *format, const char *host,
				 uint64_t bytes)
{
	struct na_value *row = na_put_object(r, inputs, NULL);

	na_put_text(r, row, M_path, path);
	na_put_text(r, row, M_label, label);
	na_put_text(r, row, M_format, format);
	na_put_text(r, row, M_host, host);
	na_put_int(r, row, M_bytes, (int64_t)bytes);
	na_put_int(r, row, M_transfers, 0);
	return row;
}

struct na_value *na_judged_coverage(struct na_result *r, uint64_t events,
				    uint64_t lines_skipped, uint64_t used)
{
	struct na_value *doc = na_result_doc(r), *c, *left_out;

	na_put_null(r, doc, M_origin_unix_ns);
	na_put_null(r, doc, M_duration_s);
	na_put_null(r, doc, M_anchor);
	c = na_put_object(r, doc, M_coverage);
	na_put_int(r, c, M_events, (int64_t)events);
	na_put_int(r, c, M_lines_skipped, (int64_t)lines_skipped);
	na_put_int(r, c, M_used, (int64_t)used);
	left_out = na_put_object(r, c, M_left_out);
	na_put_list(r, c, M_unknown_names);
	return left_out;
}

enum na_exit na_judged_exit(const struct na_cli *cli, enum na_severity worst)
{
	return cli->common.fail_on >= 0 && (int)worst > cli->common.fail_on
		       ? NA_EXIT_FINDINGS
		       : NA_EXIT_OK;
}
