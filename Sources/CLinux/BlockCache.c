#include "BlockCache.h"

#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// A free block holds the address of the next one.
struct free_block {
    struct free_block *next;
};

struct store {
    struct free_block *first;
    int count;
};

// Small blocks are stored by their size, in the steps in which the C library has them: 24 bytes, 40, 56 and so on. The
// others have one of two sizes, whatever was asked for.
enum { SMALL_LEAST = 24, SMALL_STEP = 16, SMALL_STORES = 64, SMALL_KEPT = 64 };
enum { SMALL_MOST = SMALL_LEAST + SMALL_STEP * (SMALL_STORES - 1) };
enum { MIDDLE_SIZE = 2048, MIDDLE_KEPT = 128 };
enum { LARGE_LEAST = 8 * 1024, LARGE_SIZE = 16 * 1024 + 64, LARGE_KEPT = 64 };
// A block may be so much larger than it was asked for.
enum { SLACK = 64 };

struct stores {
    struct store small[SMALL_STORES];
    struct store middle;
    struct store large;
};

// Null on threads that keep nothing.
static _Thread_local struct stores *stores;

void bluebonnet_keep_blocks(void) {
    if (!stores) stores = calloc(1, sizeof(struct stores));
}

static void free_all(struct store *store) {
    for (struct free_block *block = store->first, *next; block; block = next) {
        next = block->next;
        free(block);
    }
}

void bluebonnet_let_blocks_go(void) {
    if (!stores) return;
    for (int index = 0; index < SMALL_STORES; index++) free_all(&stores->small[index]);
    free_all(&stores->middle);
    free_all(&stores->large);
    free(stores);
    stores = NULL;
}

int bluebonnet_kept_block_count(void) {
    if (!stores) return 0;
    int count = stores->middle.count + stores->large.count;
    for (int index = 0; index < SMALL_STORES; index++) count += stores->small[index].count;
    return count;
}

static void *take(struct store *store) {
    struct free_block *block = store->first;
    if (!block) return NULL;
    store->first = block->next;
    store->count -= 1;
    return block;
}

// Whether the block was stored.
static int put(struct store *store, void *block, int kept) {
    if (store->count >= kept) return 0;
    struct free_block *free_block = block;
    free_block->next = store->first;
    store->first = free_block;
    store->count += 1;
    return 1;
}

static void *take_or_make(struct store *store, size_t size) {
    void *block = take(store);
    return block ? block : malloc(size);
}

void *bluebonnet_malloc(size_t size) {
    if (!stores) return malloc(size);
    if (size <= SMALL_MOST) {
        size_t index = size <= SMALL_LEAST ? 0 : (size - SMALL_LEAST + SMALL_STEP - 1) / SMALL_STEP;
        return take_or_make(&stores->small[index], SMALL_LEAST + SMALL_STEP * index);
    }
    if (size <= MIDDLE_SIZE) return take_or_make(&stores->middle, MIDDLE_SIZE);
    if (size >= LARGE_LEAST && size <= LARGE_SIZE) return take_or_make(&stores->large, LARGE_SIZE);
    return malloc(size);
}

// Stores a block where it is large enough for all that is taken from there; false when it fits nowhere.
static int store_free(void *block, size_t size) {
    if (size < SMALL_LEAST) return 0;
    if (size < SMALL_MOST + SMALL_STEP) {
        return put(&stores->small[(size - SMALL_LEAST) / SMALL_STEP], block, SMALL_KEPT);
    }
    if (size >= MIDDLE_SIZE && size < MIDDLE_SIZE + SLACK) return put(&stores->middle, block, MIDDLE_KEPT);
    if (size >= LARGE_SIZE && size < LARGE_SIZE + SLACK) return put(&stores->large, block, LARGE_KEPT);
    return 0;
}

void bluebonnet_free(void *block) {
    if (!block) return;
    if (stores && store_free(block, malloc_usable_size(block))) return;
    free(block);
}

void *bluebonnet_calloc(size_t count, size_t size) {
    size_t byte_count;
    if (!stores || __builtin_mul_overflow(count, size, &byte_count) || byte_count > LARGE_SIZE) {
        return calloc(count, size);
    }
    void *block = bluebonnet_malloc(byte_count);
    if (block) memset(block, 0, byte_count);
    return block;
}

void *bluebonnet_realloc(void *block, size_t size) {
    if (!stores || !block || size == 0 || size > SMALL_MOST) return realloc(block, size);
    // A growing text of libcurl's: from one store into the next.
    size_t old_size = malloc_usable_size(block);
    if (old_size >= SMALL_MOST + SMALL_STEP) return realloc(block, size);
    if (size <= old_size) return block;
    void *larger = bluebonnet_malloc(size);
    if (!larger) return NULL;
    memcpy(larger, block, old_size);
    bluebonnet_free(block);
    return larger;
}

char *bluebonnet_strdup(const char *text) {
    size_t size = strlen(text) + 1;
    char *copy = bluebonnet_malloc(size);
    if (copy) memcpy(copy, text, size);
    return copy;
}
