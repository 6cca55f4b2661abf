/*
 * A child that ends as if it had always been alone: what it writes, and how far
 * it has read, is its own.
 */
#ifndef TESTS_FAULTS_FORKED_H
#define TESTS_FAULTS_FORKED_H

/*
 * In a child, on its only thread: its folder is `dir` from now on, which has
 * copies of the files in the folder that it was in; open files there, and
 * those without a name, are such copies, and other files and directories are
 * opened anew, each where it was.  Ends the child with status 124 where that
 * cannot be.
 */
void forked_apart(const char *dir);

#endif
