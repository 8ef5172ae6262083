// What HTTP/2 servers send, as the nghttp2 below libcurl sees it.
//
// libcurl does not report whether the server ended a response's stream (END_STREAM; RFC 9113, 5.1). Before 8.1, a body
// without a length that was cut short by a broken connection looks like a whole one; in every version so far (8.23), one
// that was cut short by RST_STREAM with NO_ERROR does. Nor does libcurl report that a stream was refused.
// nghttp2 tells libcurl of each frame, through a callback that libcurl sets with
// nghttp2_session_callbacks_set_on_frame_recv_callback. This module has a function of that name. Where the program's
// symbols come before nghttp2's, as they do in an executable that this module is linked into, libcurl calls that one,
// which puts a callback before libcurl's own and else does what nghttp2's does. No other user of nghttp2 in the process
// is observed. nghttp2_session_callbacks_set_on_stream_close_callback is treated alike, and so are the functions that
// open a stream: nghttp2_submit_request and nghttp2_session_upgrade2. Session and number identify a stream: the meaning
// of the stream's user data differs between versions of libcurl.
//
// It also lets nghttp2 reset a stream whose head has a field that no message may have: libcurl does not ask for that.
#ifndef BLUEBONNET_HTTP2_FRAMES_H
#define BLUEBONNET_HTTP2_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// An event of a stream.
typedef enum {
    /// libcurl has opened it: it sends a request, or has sent a request for an upgrade.
    bluebonnet_http2_opened,
    /// nghttp2 received a frame, and found it valid.
    bluebonnet_http2_frame_arrived,
    /// The stream has ended, and the server has not looked at it (RFC 9113, 8.7): by RST_STREAM with REFUSED_STREAM, or
    /// by a GOAWAY that names an earlier stream as the last one.
    bluebonnet_http2_refused,
} bluebonnet_http2_event_kind;

typedef struct {
    bluebonnet_http2_event_kind kind;
    /// nghttp2's session, which identifies the connection.
    const void *session;
    int32_t stream;
    /// Of a frame; 0: DATA, 1: HEADERS, 3: RST_STREAM (RFC 9113, 6).
    uint8_t frame_type;
    /// The body bytes of a DATA frame, without its padding.
    size_t data_byte_count;
    /// Whether the frame ends the stream.
    bool ends_stream;
} bluebonnet_http2_event;

typedef void (*bluebonnet_http2_observer)(void *context, bluebonnet_http2_event event);

/// `observer` receives the events of libcurl's connections on the calling thread from now on; NULL: no function does.
/// `repairs_trailers`: libcurl is kept from losing the end of a body that has trailers (libcurl before 8.1).
void bluebonnet_observe_http2(bluebonnet_http2_observer observer, void *context, bool repairs_trailers);

/// The context of the observer of the calling thread; NULL when there is none.
void *bluebonnet_http2_context(void);

/// Whether observers receive the frames of libcurl's HTTP/2 connections. False until libcurl has made one.
bool bluebonnet_http2_frames_are_observed(void);

#endif
