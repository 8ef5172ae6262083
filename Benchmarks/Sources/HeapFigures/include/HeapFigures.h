// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

#ifndef HEAP_FIGURES_H
#define HEAP_FIGURES_H

#include <stddef.h>

/// Bytes that malloc has handed out and not got back; the main arena and mapped blocks. Glibc's Swift module lacks
/// <malloc.h>.
size_t heap_allocated_byte_count(void);

/// From here on every call of malloc, calloc, realloc and their aligned kin is counted, by all threads and libraries of
/// the process; the count starts at zero. Counting takes time: do not look at the clock meanwhile.
void heap_start_counting(void);

/// Ends the counting and gives the count.
long heap_stop_counting(void);

#endif
