#include "netan/engine/request.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "netan/engine/anonymize.h"

enum { SAY_MAX = 4096 };

void na_request_init(struct na_request *q)
{
	*q = (struct na_request){.max_size = -1, .component = -1};
}

bool na_same_label(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

bool na_several_runs(const struct na_request *q)
{
	for (size_t i = 1; i < q->n_inputs; i++) {
		if (!na_same_label(q->inputs[i - 1].label, q->inputs[i].label))
			return true;
	}
	return false;
}

static NA_PRINTF(3, 0) void say(const struct na_request *q, enum na_level level,
				const char *fmt, va_list args)
{
	char text[SAY_MAX], *shown;

	if (!na_world_speaks(q->world) && level != NA_SAY_ERROR)
		return;
	if (!q->speaker.say ||
	    (q->speaker.hears && !q->speaker.hears(q->speaker.ctx, level)))
		return;
	vsnprintf(text, sizeof(text), fmt, args);
	if (!*text)
		return; /* of who leaves and has not failed */
	/* Without memory where nothing is hidden: it may be what is short. */
	shown = q->pseudonyms ? na_shown(q, text) : text;
	if (na_world_speaks(q->world))
		q->speaker.say(q->speaker.ctx, level,
			       shown ? shown : "out of memory");
	else
		na_world_note(q->world, shown ? shown : "out of memory");
	if (shown != text)
		free(shown);
}

#define SAY(name, level) \
	void name(const struct na_request *q, const char *fmt, ...) \
	{ \
		va_list args; \
\
		va_start(args, fmt); \
		say(q, level, fmt, args); \
		va_end(args); \
	}
SAY(na_say_error, NA_SAY_ERROR)
SAY(na_say_warning, NA_SAY_WARNING)
SAY(na_say_detail, NA_SAY_DETAIL)
SAY(na_say_hint, NA_SAY_HINT)

void na_say_nomem(const struct na_request *q)
{
	struct na_err err = {.status = NA_OK};

	na_in_err(na_fail_nomem(&err));
	na_say_error(q, "%s", err.text);
}

void na_say_progress(const struct na_request *q, const char *what, double share)
{
	if (q->speaker.progress && na_world_speaks(q->world))
		q->speaker.progress(q->speaker.ctx, what, share);
}

bool na_request_set(const struct na_request *q, const char *member)
{
	for (size_t i = 0; i < q->n_settings; i++) {
		if (strcmp(q->settings[i].member, member) == 0)
			return true;
	}
	return false;
}
