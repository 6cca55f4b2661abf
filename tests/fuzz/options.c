/*
 * What a target, or a unit test, does under the address sanitizer, unless
 * ASAN_OPTIONS says otherwise: memory that was freed stays apart for some thousand allocations,
 * not for 256 MB of them, each of which would be on pages of its own; and who
 * allocated is told by fewer callers.  Both were a good part of the time.
 */
const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
	return "quarantine_size_mb=16:thread_local_quarantine_size_kb=256:"
	       "malloc_context_size=8";
}
