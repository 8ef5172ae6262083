// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

#include "HeapFigures.h"

#include <malloc.h>

size_t heap_allocated_byte_count(void) {
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}
