/*
 * The parts of a page of docs/commands that markdown.c puts together.  They
 * write to out and ignore its errors, which the caller sees in ferror(out).
 * Texts are those of the tables; each is written once on a page.
 */
#ifndef NETAN_CLI_PAGES_MARKDOWN_H
#define NETAN_CLI_PAGES_MARKDOWN_H

#include <stdio.h>

/* n bytes of text, of which Markdown takes none for markup. */
void na_markdown_text(FILE *out, const char *s, size_t n);

/* Section "JSON" of a command; nothing if it has no JSON. */
void na_markdown_document(FILE *out, const char *command);

/* Section "JSON types" of the page of all commands. */
extern const char na_markdown_types[];

#endif
