#include "netan/cli/paths.h"

#include "netan/cli/common.h"

static void tell(const struct na_opt *o, const void *params, na_path_fn fn,
		 void *ctx)
{
	const void *at = (const char *)params + o->offset;
	const struct na_text_list *list = at;
	const char *path;

	if (o->kind == NA_OPT_TEXT) {
		path = *(const char *const *)at;
		if (path && *path)
			fn(ctx, path, o->path);
	}
	for (size_t i = 0; o->kind == NA_OPT_LIST && i < list->n; i++) {
		if (list->items[i] && *list->items[i])
			fn(ctx, list->items[i], o->path);
	}
}

void na_each_option_path(const struct na_cli *cli, na_path_fn fn, void *ctx)
{
	struct na_opt_group groups[NA_MAX_GROUPS];
	struct na_cli line = *cli;
	size_t n = na_command_groups(cli->command, &line, groups);

	for (size_t i = 0; i < n; i++) {
		for (const struct na_opt *o = groups[i].opts; o->name; o++) {
			if (o->path)
				tell(o, groups[i].params, fn, ctx);
		}
	}
}
