// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

#ifndef HEAP_FIGURES_H
#define HEAP_FIGURES_H

#include <stddef.h>

/// Returns the number of bytes allocated with malloc and not freed, in the main arena and in mapped blocks. This is a
/// C function because Glibc's Swift module lacks <malloc.h>.
size_t heap_allocated_byte_count(void);

/// Begins to count every call of malloc, calloc, realloc and aligned variants, by all threads and libraries of the
/// process. The count starts at zero. Counting takes time: do not measure time meanwhile.
void heap_start_counting(void);

/// Ends the counting. Returns the count.
long heap_stop_counting(void);

#endif
