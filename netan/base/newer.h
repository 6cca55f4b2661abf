/*
 * Which of two files was changed last.
 */
#ifndef NETAN_BASE_NEWER_H
#define NETAN_BASE_NEWER_H

#include <stdbool.h>
#include <sys/stat.h>

static inline bool na_newer(const struct stat *a, const struct stat *b)
{
	return a->st_mtim.tv_sec != b->st_mtim.tv_sec
		       ? a->st_mtim.tv_sec > b->st_mtim.tv_sec
		       : a->st_mtim.tv_nsec > b->st_mtim.tv_nsec;
}

#endif
