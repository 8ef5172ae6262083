// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

#ifndef HEAP_FIGURES_H
#define HEAP_FIGURES_H

#include <stddef.h>

/// Bytes that malloc has handed out and not got back; the main arena and mapped blocks. Glibc's Swift module lacks
/// <malloc.h>.
size_t heap_allocated_byte_count(void);

#endif
