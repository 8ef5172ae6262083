// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

#define _GNU_SOURCE
#include "HTTP2Frames.h"
#include <dlfcn.h>
#include <stdatomic.h>

// The parts of nghttp2's interface that are used here; its headers need not be installed.
typedef struct nghttp2_session nghttp2_session;
typedef struct nghttp2_session_callbacks nghttp2_session_callbacks;
typedef struct {
    size_t length;
    int32_t stream_id;
    uint8_t type;
    uint8_t flags;
    uint8_t reserved;
} frame_header;
typedef struct {
    frame_header header;
    size_t padding_length;
} data_frame;
typedef int (*frame_callback)(nghttp2_session *session, const frame_header *frame, void *context);
typedef void (*callback_setter)(nghttp2_session_callbacks *callbacks, frame_callback callback);
typedef void *(*stream_data_getter)(nghttp2_session *session, int32_t stream);

// nghttp2's callback has a union of all frames, as large as its largest member; this is larger.
typedef union {
    data_frame data;
    unsigned char room[256];
} any_frame;

enum { type_data = 0, type_headers = 1, flag_end_stream = 1 };

static _Thread_local bluebonnet_http2_observer observer;
static _Atomic(frame_callback) callback_of_libcurl;
static _Atomic(stream_data_getter) stream_data;

bluebonnet_http2_observer bluebonnet_observe_http2_frames(bluebonnet_http2_observer new_observer) {
    bluebonnet_http2_observer old = observer;
    observer = new_observer;
    return old;
}

bool bluebonnet_http2_frames_are_observed(void) { return atomic_load(&callback_of_libcurl) != NULL; }

// libcurl before 8.1 loses body bytes that it has in its hands when trailers end the stream and the session ends with
// them, in one read from the connection (GOAWAY, or a fault). It does not when a DATA frame ends the stream: for that
// frame it notes that there are bytes to be handed on ("drain"), and does nothing else with it once the response's head
// has come, as nghttp2 has made sure for fields that end a stream.
static int trailers_arrived(nghttp2_session *session, const frame_header *frame, void *context) {
    any_frame end = {.data.header = {.stream_id = frame->stream_id, .type = type_data, .flags = flag_end_stream}};
    return atomic_load(&callback_of_libcurl)(session, &end.data.header, context);
}

// Tells the observer before libcurl, which may forget whose stream it is.
static int frame_arrived(nghttp2_session *session, const frame_header *frame, void *context) {
    bool is_observed = observer && frame->stream_id > 0;
    if (is_observed) {
        void *easy_handle = atomic_load(&stream_data)(session, frame->stream_id);
        bool may_end = frame->type == type_data || frame->type == type_headers;
        bluebonnet_http2_frame told = {
            .type = frame->type, .ends_stream = may_end && (frame->flags & flag_end_stream)};
        if (frame->type == type_data)
            told.data_byte_count = frame->length - ((const data_frame *)frame)->padding_length;
        if (easy_handle) observer(easy_handle, told);
    }
    int result = atomic_load(&callback_of_libcurl)(session, frame, context);
    bool ends_with_fields = frame->type == type_headers && (frame->flags & flag_end_stream);
    return is_observed && ends_with_fields && result == 0 ? trailers_arrived(session, frame, context) : result;
}

// Whether an address lies in the object that libcurl is in.
static bool is_in_libcurl(const void *address) {
    Dl_info library, info;
    void *function = dlsym(RTLD_DEFAULT, "curl_multi_socket_action");
    return function && dladdr(function, &library) && dladdr(address, &info) && library.dli_fbase == info.dli_fbase;
}

// Whether calls that come from this callback can be told to belong to libcurl, whose callback is always the same one.
static bool can_observe(frame_callback callback) {
    if (!is_in_libcurl((const void *)callback)) return false;
    stream_data_getter getter = (stream_data_getter)dlsym(RTLD_DEFAULT, "nghttp2_session_get_stream_user_data");
    if (!getter) return false;
    atomic_store(&stream_data, getter);
    frame_callback none = NULL;
    return atomic_compare_exchange_strong(&callback_of_libcurl, &none, callback) || none == callback;
}

// Weak: where nghttp2 is linked statically, its own function stands, and nothing is observed.
__attribute__((weak, visibility("default"))) void
nghttp2_session_callbacks_set_on_frame_recv_callback(nghttp2_session_callbacks *callbacks, frame_callback callback) {
    static const char name[] = "nghttp2_session_callbacks_set_on_frame_recv_callback";
    callback_setter set = (callback_setter)dlsym(RTLD_NEXT, name);
    if (!set) {
        // This module was loaded after nghttp2.
        void *library = dlopen("libnghttp2.so.14", RTLD_LAZY | RTLD_NOLOAD);
        set = library ? (callback_setter)dlsym(library, name) : NULL;
    }
    if (set) set(callbacks, can_observe(callback) ? frame_arrived : callback);
}
