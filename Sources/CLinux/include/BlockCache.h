// Memory for libcurl (curl_global_init_mem): the C library's, with a store of free blocks on the network thread.
//
// For each transfer libcurl takes and frees a buffer of 16 kB and a connection of 1.5 kB, among thirty small blocks. Both
// are too large for the C library's own stores, and taking one makes it join all small free blocks first
// (malloc_consolidate), which the next transfers cut out again.
#ifndef BLUEBONNET_BLOCK_CACHE_H
#define BLUEBONNET_BLOCK_CACHE_H

#include <stddef.h>

/// From now on the calling thread keeps what it frees for what it takes next: at most 64 blocks of each size up to 1 kB,
/// 128 of 2 kB and 64 of 16 kB, which are 3.5 MB. Before the thread ends it has to let them go.
void bluebonnet_keep_blocks(void);
/// Frees what the calling thread keeps; it keeps nothing any more.
void bluebonnet_let_blocks_go(void);
/// How many blocks the calling thread keeps.
int bluebonnet_kept_block_count(void);

// As their namesakes of the C library, whose blocks they give and take: any thread may free them, by whatever name.
void *bluebonnet_malloc(size_t size);
void *bluebonnet_calloc(size_t count, size_t size);
void *bluebonnet_realloc(void *block, size_t size);
char *bluebonnet_strdup(const char *text);
void bluebonnet_free(void *block);

#endif
