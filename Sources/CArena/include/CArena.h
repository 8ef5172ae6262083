// Memory for libcurl (curl_global_init_mem): blocks of its own on the network thread, the C library's elsewhere.
//
// For each transfer libcurl takes and frees a buffer of 16 kB, a connection of 1.5 kB and thirty small blocks. The C
// library reads the header of a block, and of the one behind it, to free it; with many transfers under way neither is
// in the processor's cache any more. A block from here is known by its address.
#ifndef BLUEBONNET_ARENA_H
#define BLUEBONNET_ARENA_H

#include <stdbool.h>
#include <stddef.h>

/// Whether this build has the arena. A sanitizer would not see faults in memory that the C library did not give, so
/// builds with a sanitizer have none: then attaching does nothing, and all blocks are the C library's.
bool bluebonnet_arena_is_available(void);

/// From now on the calling thread takes blocks of up to 2 kB, and those of 8 to 16 kB, from a region of its own. For
/// the former the process keeps what it once needed, 10 MB at most; for the latter 2 MB, and up to 34 MB until none of
/// them is in use. When the region is full, or eight other threads have one, the C library gives the blocks. Before the
/// thread ends it has to let the region go.
void bluebonnet_arena_attach(void);
/// The calling thread's region goes to the next thread that keeps blocks; what was taken from it stays valid.
void bluebonnet_arena_detach(void);
/// How many blocks of the calling thread's region are in use; with those that other threads freed and it has not had
/// back.
int bluebonnet_used_block_count(void);

// As their namesakes of the C library. Any thread may free what another one took, but not with the C library's `free`.
void *bluebonnet_malloc(size_t size);
void *bluebonnet_calloc(size_t count, size_t size);
void *bluebonnet_realloc(void *block, size_t size);
char *bluebonnet_strdup(const char *text);
void bluebonnet_free(void *block);

#endif
