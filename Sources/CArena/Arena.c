#include "CArena.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define HAS_SANITIZER 1
#endif
#endif
#ifndef HAS_SANITIZER
#define HAS_SANITIZER 0
#endif

// A free block holds the address of the next one.
struct free_block {
    struct free_block *next;
};

// A region begins with pages, each of which is cut into blocks of one kind: small ones in steps of 16 bytes, and middle
// ones. Behind them are the large blocks: two for each of a thousand transfers, one that is read into and, over TLS,
// one that is written from.
enum { SMALL_STEP = 16, SMALL_KINDS = 64, SMALL_MOST = SMALL_STEP * SMALL_KINDS };
enum { MIDDLE_SIZE = 2048, LARGE_LEAST = 8 * 1024, LARGE_SIZE = 16 * 1024 + 64 };
enum { MIDDLE_KIND = SMALL_KINDS, LARGE_KIND, KIND_COUNT, NO_KIND = -1 };
enum { PAGE_SIZE = 64 * 1024, PAGE_COUNT = 160, PAGES_SIZE = PAGE_SIZE * PAGE_COUNT };
enum { LARGE_COUNT = 2048, LARGE_AREA_SIZE = LARGE_COUNT * LARGE_SIZE, REGION_SIZE = PAGES_SIZE + LARGE_AREA_SIZE };
// When none of more large blocks than these is in use any more, the kernel gets their memory back.
enum { LARGE_COUNT_KEPT = 128 };
enum { REGIONS_MOST = 8 };

struct store {
    struct free_block *first;
    // What has not been taken yet: of the page that was begun last, or of all large blocks.
    char *rest;
    int rest_count;
};

struct region {
    // Null until there is memory. Other threads ask whether a block is from here.
    _Atomic(char *) start;
    atomic_bool has_owner;
    // What other threads freed.
    _Atomic(struct free_block *) returned;
    // The owner's.
    int page_count;
    int used_count;
    int used_large_count;
    struct store stores[KIND_COUNT];
    unsigned char kinds[PAGE_COUNT];
};

static struct region regions[REGIONS_MOST];
// Null on threads that keep nothing.
static _Thread_local struct region *own;

static int kind_for(size_t size) {
    if (size <= SMALL_MOST) return size == 0 ? 0 : (int)((size - 1) / SMALL_STEP);
    if (size <= MIDDLE_SIZE) return MIDDLE_KIND;
    return size >= LARGE_LEAST && size <= LARGE_SIZE ? LARGE_KIND : NO_KIND;
}

static size_t size_of(int kind) {
    if (kind < SMALL_KINDS) return (size_t)SMALL_STEP * (kind + 1);
    return kind == MIDDLE_KIND ? MIDDLE_SIZE : LARGE_SIZE;
}

static int holds(struct region *region, const void *block) {
    uintptr_t start = (uintptr_t)atomic_load_explicit(&region->start, memory_order_relaxed);
    return start && (uintptr_t)block - start < REGION_SIZE;
}

// The region that a block is from, or null when the C library gave it.
static struct region *region_of(const void *block) {
    if (own && holds(own, block)) return own;
    for (int index = 0; index < REGIONS_MOST; index++) {
        if (holds(&regions[index], block)) return &regions[index];
    }
    return NULL;
}

static int kind_of(struct region *region, const void *block) {
    size_t offset = (const char *)block - atomic_load_explicit(&region->start, memory_order_relaxed);
    return offset < PAGES_SIZE ? region->kinds[offset / PAGE_SIZE] : LARGE_KIND;
}

// From here on the large blocks are taken from the first one on.
static void begin_large(struct region *region) {
    char *start = atomic_load_explicit(&region->start, memory_order_relaxed) + PAGES_SIZE;
    region->stores[LARGE_KIND] = (struct store){.rest = start, .rest_count = LARGE_COUNT};
}

// Called when no large block is in use.
static void give_large_back(struct region *region) {
    struct store *store = &region->stores[LARGE_KIND];
    int taken_count = LARGE_COUNT - store->rest_count;
    if (taken_count <= LARGE_COUNT_KEPT) return;
    begin_large(region);
    madvise(store->rest, (size_t)taken_count * LARGE_SIZE, MADV_DONTNEED);
}

static void put(struct region *region, struct free_block *block) {
    int kind = kind_of(region, block);
    struct store *store = &region->stores[kind];
    block->next = store->first;
    store->first = block;
    region->used_count -= 1;
    if (kind != LARGE_KIND) return;
    region->used_large_count -= 1;
    if (region->used_large_count == 0) give_large_back(region);
}

// Puts what other threads freed where it belongs.
static void take_back(struct region *region) {
    struct free_block *block = atomic_exchange_explicit(&region->returned, NULL, memory_order_acquire);
    while (block) {
        struct free_block *next = block->next;
        put(region, block);
        block = next;
    }
}

bool bluebonnet_arena_is_available(void) {
    return !HAS_SANITIZER;
}

void bluebonnet_arena_attach(void) {
    if (HAS_SANITIZER) return;
    for (int index = 0; index < REGIONS_MOST && !own; index++) {
        if (!atomic_exchange_explicit(&regions[index].has_owner, 1, memory_order_acquire)) own = &regions[index];
    }
    if (!own) return;
    if (atomic_load_explicit(&own->start, memory_order_relaxed)) return take_back(own);
    void *memory =
        mmap(NULL, REGION_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return bluebonnet_arena_detach();
    atomic_store_explicit(&own->start, memory, memory_order_release);
    begin_large(own);
}

void bluebonnet_arena_detach(void) {
    if (!own) return;
    atomic_store_explicit(&own->has_owner, 0, memory_order_release);
    own = NULL;
}

int bluebonnet_used_block_count(void) {
    return own ? own->used_count : 0;
}

// Begins a page of the kind; false when there is none left.
static int begin_page(struct region *region, int kind) {
    if (kind == LARGE_KIND || region->page_count == PAGE_COUNT) return 0;
    region->kinds[region->page_count] = (unsigned char)kind;
    struct store *store = &region->stores[kind];
    char *start = atomic_load_explicit(&region->start, memory_order_relaxed);
    store->rest = start + (size_t)PAGE_SIZE * region->page_count;
    store->rest_count = (int)(PAGE_SIZE / size_of(kind));
    region->page_count += 1;
    return 1;
}

// A block when the list of free ones is empty; null when the region is full.
static void *take_rest(struct region *region, int kind) {
    struct store *store = &region->stores[kind];
    take_back(region);
    struct free_block *block = store->first;
    if (block) {
        store->first = block->next;
    } else {
        if (store->rest_count == 0 && !begin_page(region, kind)) return NULL;
        block = (struct free_block *)store->rest;
        store->rest += size_of(kind);
        store->rest_count -= 1;
    }
    region->used_count += 1;
    region->used_large_count += kind == LARGE_KIND;
    return block;
}

void *bluebonnet_malloc(size_t size) {
    struct region *region = own;
    int kind = region ? kind_for(size) : NO_KIND;
    if (kind == NO_KIND) return malloc(size);
    struct store *store = &region->stores[kind];
    struct free_block *block = store->first;
    if (!block) {
        void *rest = take_rest(region, kind);
        return rest ? rest : malloc(size);
    }
    store->first = block->next;
    // The one that is taken next will be read then.
    __builtin_prefetch(store->first);
    region->used_count += 1;
    region->used_large_count += kind == LARGE_KIND;
    return block;
}

void bluebonnet_free(void *block) {
    if (!block) return;
    struct region *region = region_of(block);
    if (!region) return free(block);
    if (region == own) return put(region, block);
    struct free_block *returned = block;
    returned->next = atomic_load_explicit(&region->returned, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(
        &region->returned, &returned->next, returned, memory_order_release, memory_order_relaxed)) {
    }
}

void *bluebonnet_calloc(size_t count, size_t size) {
    size_t byte_count;
    if (!own || __builtin_mul_overflow(count, size, &byte_count) || kind_for(byte_count) == NO_KIND) {
        return calloc(count, size);
    }
    void *block = bluebonnet_malloc(byte_count);
    if (block) memset(block, 0, byte_count);
    return block;
}

void *bluebonnet_realloc(void *block, size_t size) {
    if (!block) return bluebonnet_malloc(size);
    struct region *region = region_of(block);
    if (!region) return realloc(block, size);
    size_t old_size = size_of(kind_of(region, block));
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
