/*
 * Which files have been read, so that none of them is written over: whatever
 * name or link leads to it.  Of the whole program, and of files alone: what a
 * pipe or a device gave cannot be lost.
 */
#ifndef NETAN_BASE_INPUTS_H
#define NETAN_BASE_INPUTS_H

#include <stdbool.h>

struct stat;

/* What fd has open is read.  From any thread; without memory it is not
 * remembered. */
void na_inputs_add(int fd);
bool na_inputs_hold(const struct stat *file);

#endif
