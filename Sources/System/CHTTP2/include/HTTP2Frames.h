// Observes the HTTP/2 frames of servers, as nghttp2 below libcurl receives them.
//
// libcurl does not report whether the server ended a response's stream (END_STREAM; RFC 9113, 5.1). Before 8.1, a body
// without a length that was truncated by a broken connection looks complete; in every version so far (8.23), so does a
// body truncated by RST_STREAM with NO_ERROR. Nor does libcurl report that a stream was refused.
//
// nghttp2 reports each frame to libcurl through a callback that libcurl sets with
// nghttp2_session_callbacks_set_on_frame_recv_callback. This module defines a function of that name. If the program's
// symbols precede nghttp2's, as in an executable that this module is linked into, libcurl calls this function. It
// installs a callback that runs before libcurl's own, and otherwise behaves like nghttp2's function. No other user of
// nghttp2 in the process is observed. nghttp2_session_callbacks_set_on_stream_close_callback is treated in the same
// way, and so are the functions that open a stream: nghttp2_submit_request and nghttp2_session_upgrade2. Session and
// number identify a stream, because the meaning of the stream's user data differs between versions of libcurl.
//
// The module also makes nghttp2 reset a stream whose head has a field that no message may contain, which libcurl does
// not request.
#ifndef BLUEBONNET_HTTP2_FRAMES_H
#define BLUEBONNET_HTTP2_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The kind of a stream's event.
typedef enum {
    /// libcurl has opened the stream: it sends a request, or has sent a request for an upgrade.
    bluebonnet_http2_opened,
    /// nghttp2 has received a valid frame.
    bluebonnet_http2_frame_arrived,
    /// The stream has ended and the server did not process it (RFC 9113, 8.7): by RST_STREAM with REFUSED_STREAM, or
    /// by a GOAWAY that names an earlier stream as the last one.
    bluebonnet_http2_refused,
} bluebonnet_http2_event_kind;

/// An event of a stream.
typedef struct {
    bluebonnet_http2_event_kind kind;
    /// nghttp2's session, which identifies the connection.
    const void *session;
    int32_t stream;
    /// The type of the frame: 0 for DATA, 1 for HEADERS, 3 for RST_STREAM (RFC 9113, 6).
    uint8_t frame_type;
    /// The number of body bytes in a DATA frame, without padding.
    size_t data_byte_count;
    /// Whether the frame ends the stream.
    bool ends_stream;
} bluebonnet_http2_event;

typedef void (*bluebonnet_http2_observer)(void *context, bluebonnet_http2_event event);

/// Sets the function that receives the events of libcurl's connections on the calling thread from now on; NULL for no
/// function. `repairs_trailers`: whether to keep libcurl from losing the end of a body with trailers (libcurl before
/// 8.1).
void bluebonnet_observe_http2(bluebonnet_http2_observer observer, void *context, bool repairs_trailers);

/// Returns the context of the calling thread's observer; NULL without an observer.
void *bluebonnet_http2_context(void);

/// Returns whether observers receive the frames of libcurl's HTTP/2 connections. False until libcurl has made such a
/// connection.
bool bluebonnet_http2_frames_are_observed(void);

#endif
