// What HTTP/2 servers send, as the nghttp2 below libcurl sees it.
//
// libcurl does not report whether the server ended a response's stream (END_STREAM; RFC 9113, 5.1). Before 8.1, a body
// without a length that was cut short by a broken connection looks like a whole one; in every version so far (8.23), one
// that was cut short by RST_STREAM with NO_ERROR does. Nor does libcurl report that a stream was refused.
// nghttp2 tells libcurl of each frame, through a callback that libcurl sets with
// nghttp2_session_callbacks_set_on_frame_recv_callback. This module has a function of that name. Where the program's
// symbols come before nghttp2's, as they do in an executable that this module is linked into, libcurl calls that one,
// which puts a callback before libcurl's own and else does what nghttp2's does. No other user of nghttp2 in the process
// is observed. nghttp2_session_callbacks_set_on_stream_close_callback is treated alike.
//
// It also lets nghttp2 reset a stream whose head has a field that no message may have: libcurl does not ask for that.
#ifndef BLUEBONNET_HTTP2_FRAMES_H
#define BLUEBONNET_HTTP2_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A frame that belongs to the stream of a libcurl easy handle, and that nghttp2 found to be valid.
typedef struct {
    /// 0: DATA, 1: HEADERS, 3: RST_STREAM (RFC 9113, 6).
    uint8_t type;
    /// The body bytes of a DATA frame, without its padding.
    size_t data_byte_count;
    /// Whether it ends the stream.
    bool ends_stream;
    /// Whether it is no frame, but the end of a stream that the server has not looked at (RFC 9113, 8.7): by RST_STREAM
    /// with REFUSED_STREAM, or by a GOAWAY that names an earlier stream as the last one.
    bool is_refusal;
} bluebonnet_http2_frame;

typedef void (*bluebonnet_http2_observer)(void *easy_handle, bluebonnet_http2_frame frame);

/// From now on `observer` receives the frames that libcurl receives on the calling thread; NULL: no function does.
/// `repairs_trailers`: libcurl is kept from losing the end of a body that has trailers (libcurl before 8.1).
void bluebonnet_observe_http2_frames(bluebonnet_http2_observer observer, bool repairs_trailers);

/// Whether observers receive the frames of libcurl's HTTP/2 connections. False until libcurl has made one.
bool bluebonnet_http2_frames_are_observed(void);

#endif
