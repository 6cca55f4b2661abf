#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "netan/base/text.h"
#include "netan/cli/cli.h"

#define NS_PER_S INT64_C(1000000000)
#define FIRST_NS NS_PER_S /* quick work shows nothing */
#define EVERY_NS (NS_PER_S / 10)

int64_t na_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * NS_PER_S + t.tv_nsec;
}

void na_progress_start(struct na_progress *p, const struct na_cli *cli)
{
	const char *term = getenv("TERM");

	memset(p, 0, sizeof(*p));
	p->on = isatty(STDERR_FILENO) && !cli->common.quiet &&
		cli->common.progress != NA_PROGRESS_NEVER && term &&
		strcmp(term, "dumb") != 0;
	p->started_ns = na_now_ns();
	p->last_ns = p->started_ns;
}

/* share: 0 to 1, or negative where the end is not known. */
void na_progress_tell(struct na_progress *p, const char *what, double share)
{
	int64_t now;
	char text[64];

	if (!p->on)
		return;
	now = na_now_ns();
	if (now - p->started_ns < FIRST_NS ||
	    (p->shown && now - p->last_ns < EVERY_NS))
		return;
	/* Short enough for any terminal: a wrapped line cannot be erased. */
	if (na_escape(NA_ESC_TERMINAL, what, text, sizeof(text) - 4) >=
	    sizeof(text) - 4)
		strcat(text, "...");
	fprintf(stderr, "\r\033[K%s", text);
	if (share >= 0)
		fprintf(stderr, " %3.0f%%", share < 1 ? share * 100 : 100);
	fflush(stderr);
	p->shown = true;
	p->last_ns = now;
}

void na_progress_end(struct na_progress *p)
{
	if (p->on && p->shown) {
		fputs("\r\033[K", stderr);
		fflush(stderr);
	}
	p->on = false;
	p->shown = false;
}
