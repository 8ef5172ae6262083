// Only the functions that Swift cannot call: zlib's initialisers are macros.
#ifndef BLUEBONNET_CZLIB_SHIM_H
#define BLUEBONNET_CZLIB_SHIM_H

#include <zlib.h>

/// inflateInit2 is a macro that passes the version and the size of the structure.
static inline int bluebonnet_inflate_init(z_stream *stream, int window_bits) {
    return inflateInit2(stream, window_bits);
}

#endif
