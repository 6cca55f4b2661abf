/*
 * What a run has left behind, and whether that is right.
 */
#ifndef TESTS_FAULTS_LEFT_H
#define TESTS_FAULTS_LEFT_H

#include <stddef.h>

struct text {
	char *s;
	size_t n;
};

/* The files of its folder. */
struct left {
	struct {
		char name[256];
		struct text text;
	} files[16];
	size_t n;
	int status; /* as wait() says */
};

enum verdict {
	LEFT_SAME,  /* as with all memory */
	LEFT_ERROR, /* one error, which says that memory was short */
	LEFT_WRONG
};

/* Says what cannot be, with errno, and ends the program. */
_Noreturn void faults_die(const char *what);

/* Takes the files out of the folder. */
void left_take(struct left *l, const char *dir, int status);
void left_free(struct left *l);
/* NULL: there is none of that name. */
const struct text *left_file(const struct left *l, const char *name);
/* How many errors a text of netan's says. */
size_t left_errors(const char *text);
/* Of LEFT_WRONG `text` says why. */
enum verdict left_judge(const struct left *l, const struct left *want,
			char *text, size_t size);

#endif
