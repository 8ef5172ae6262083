// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

#define _GNU_SOURCE
#include "HTTP2Frames.h"
#include <dlfcn.h>
#include <stdatomic.h>

// The parts of nghttp2's interface that are used here, so that its headers need not be installed.
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
typedef int (*close_callback)(nghttp2_session *session, int32_t stream, uint32_t error, void *context);
typedef void (*close_setter)(nghttp2_session_callbacks *callbacks, close_callback callback);
typedef int (*invalid_field_callback)(
    nghttp2_session *session, const frame_header *frame, const uint8_t *name, size_t name_length, const uint8_t *value,
    size_t value_length, uint8_t flags, void *context);
typedef void (*invalid_field_setter)(nghttp2_session_callbacks *callbacks, invalid_field_callback callback);
typedef int32_t (*request_submitter)(
    nghttp2_session *session, const void *priority, const void *fields, size_t count, const void *body, void *data);
typedef int (*session_upgrader)(
    nghttp2_session *session, const uint8_t *settings, size_t length, int is_head, void *data);

// nghttp2's callback passes a union of all frames, as large as its largest member. This union is larger.
typedef union {
    data_frame data;
    unsigned char room[256];
} any_frame;

enum { type_data = 0, type_headers = 1, flag_end_stream = 1, error_refused_stream = 7 };
// NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE, which resets the stream with PROTOCOL_ERROR, and NGHTTP2_ERR_FATAL.
enum { reset_stream = -521, fatal_error = -900 };

static _Thread_local bluebonnet_http2_observer observer;
static _Thread_local void *observer_context;
static _Thread_local bool repairs_trailers;
static _Atomic(frame_callback) callback_of_libcurl;
static _Atomic(close_callback) close_callback_of_libcurl;

void bluebonnet_observe_http2(bluebonnet_http2_observer new_observer, void *context, bool new_repairs_trailers) {
    observer = new_observer;
    observer_context = context;
    repairs_trailers = new_repairs_trailers;
}

void *bluebonnet_http2_context(void) { return observer_context; }

bool bluebonnet_http2_frames_are_observed(void) { return atomic_load(&callback_of_libcurl) != NULL; }

// Some versions of libcurl (LostTrailers.swift) lose buffered body bytes if trailers end the stream and the session
// ends in the same read from the connection (GOAWAY, or an error). They lose nothing if a DATA frame ends the stream.
// For that frame, libcurl marks the stream as one with bytes to deliver ("drain"). It does nothing else with the frame
// once the response's head has arrived, which nghttp2 guarantees for fields that end a stream.
static int trailers_arrived(nghttp2_session *session, const frame_header *frame, void *context) {
    any_frame end = {.data.header = {.stream_id = frame->stream_id, .type = type_data, .flags = flag_end_stream}};
    return atomic_load(&callback_of_libcurl)(session, &end.data.header, context);
}

// Notifies the observer before libcurl, which may end the transfer.
static int frame_arrived(nghttp2_session *session, const frame_header *frame, void *context) {
    bool is_observed = observer && frame->stream_id > 0;
    if (is_observed) {
        bool may_end = frame->type == type_data || frame->type == type_headers;
        bluebonnet_http2_event event = {
            .kind = bluebonnet_http2_frame_arrived,
            .session = session,
            .stream = frame->stream_id,
            .frame_type = frame->type,
            .ends_stream = may_end && (frame->flags & flag_end_stream)};
        if (frame->type == type_data)
            event.data_byte_count = frame->length - ((const data_frame *)frame)->padding_length;
        observer(observer_context, event);
    }
    int result = atomic_load(&callback_of_libcurl)(session, frame, context);
    bool ends_with_fields = frame->type == type_headers && (frame->flags & flag_end_stream);
    return is_observed && repairs_trailers && ends_with_fields && result == 0 ? trailers_arrived(session, frame, context) : result;
}

// Notifies the observer of a refused stream. nghttp2 also uses this error when it closes streams that a GOAWAY
// excludes.
static int stream_closed(nghttp2_session *session, int32_t stream, uint32_t error, void *context) {
    if (observer && error == error_refused_stream) {
        bluebonnet_http2_event event = {.kind = bluebonnet_http2_refused, .session = session, .stream = stream};
        observer(observer_context, event);
    }
    return atomic_load(&close_callback_of_libcurl)(session, stream, error, context);
}

// Returns whether an address is in the object that contains libcurl.
static bool is_in_libcurl(const void *address) {
    Dl_info library, info;
    void *function = dlsym(RTLD_DEFAULT, "curl_multi_socket_action");
    return function && dladdr(function, &library) && dladdr(address, &info) && library.dli_fbase == info.dli_fbase;
}

// Returns whether calls that come from this callback can be attributed to libcurl, which always uses the same
// callback.
static bool can_observe(frame_callback callback) {
    if (!is_in_libcurl((const void *)callback)) return false;
    frame_callback none = NULL;
    return atomic_compare_exchange_strong(&callback_of_libcurl, &none, callback) || none == callback;
}

static bool can_observe_closing(close_callback callback) {
    if (!is_in_libcurl((const void *)callback)) return false;
    close_callback none = NULL;
    return atomic_compare_exchange_strong(&close_callback_of_libcurl, &none, callback) || none == callback;
}

static void *own_function(const char *name) {
    void *function = dlsym(RTLD_NEXT, name);
    if (function) return function;
    // This module was loaded after nghttp2.
    void *library = dlopen("libnghttp2.so.14", RTLD_LAZY | RTLD_NOLOAD);
    return library ? dlsym(library, name) : NULL;
}

// Returns whether a field makes its message malformed (RFC 9113, 8.2.1).
static bool is_malformed(const uint8_t *name, size_t name_length, const uint8_t *value, size_t value_length) {
    for (size_t i = 0; i < name_length; i++) {
        bool is_capital = name[i] >= 'A' && name[i] <= 'Z';
        if (name[i] <= ' ' || name[i] >= 0x7f || is_capital || (name[i] == ':' && i > 0)) return true;
    }
    for (size_t i = 0; i < value_length; i++)
        if (value[i] == 0 || value[i] == '\r' || value[i] == '\n') return true;
    return name_length == 0;
}

// Resets the stream for a malformed field. By default, nghttp2 drops invalid fields and accepts the rest of the
// response. This is kept for other control characters in a value, which RFC 9110 (5.5) leaves to recipients.
static int invalid_field_arrived(
    nghttp2_session *session, const frame_header *frame, const uint8_t *name, size_t name_length, const uint8_t *value,
    size_t value_length, uint8_t flags, void *context) {
    return is_malformed(name, name_length, value, value_length) ? reset_stream : 0;
}

static void refuse_invalid_fields(nghttp2_session_callbacks *callbacks) {
    invalid_field_setter set =
        (invalid_field_setter)own_function("nghttp2_session_callbacks_set_on_invalid_header_callback");
    if (set) set(callbacks, invalid_field_arrived);
}

// Weak: if nghttp2 is linked statically, its own functions are used, and nothing is observed.
__attribute__((weak, visibility("default"))) void
nghttp2_session_callbacks_set_on_frame_recv_callback(nghttp2_session_callbacks *callbacks, frame_callback callback) {
    callback_setter set = (callback_setter)own_function("nghttp2_session_callbacks_set_on_frame_recv_callback");
    bool is_libcurl = can_observe(callback);
    if (set) set(callbacks, is_libcurl ? frame_arrived : callback);
    if (is_libcurl) refuse_invalid_fields(callbacks);
}

__attribute__((weak, visibility("default"))) void
nghttp2_session_callbacks_set_on_stream_close_callback(nghttp2_session_callbacks *callbacks, close_callback callback) {
    close_setter set = (close_setter)own_function("nghttp2_session_callbacks_set_on_stream_close_callback");
    if (set) set(callbacks, can_observe_closing(callback) ? stream_closed : callback);
}

static void stream_opened(nghttp2_session *session, int32_t stream) {
    bluebonnet_http2_event event = {.kind = bluebonnet_http2_opened, .session = session, .stream = stream};
    if (observer && stream > 0) observer(observer_context, event);
}

__attribute__((weak, visibility("default"))) int32_t nghttp2_submit_request(
    nghttp2_session *session, const void *priority, const void *fields, size_t count, const void *body, void *data) {
    static _Atomic(request_submitter) own;
    if (!atomic_load(&own)) atomic_store(&own, (request_submitter)own_function("nghttp2_submit_request"));
    request_submitter submit = atomic_load(&own);
    int32_t stream = submit ? submit(session, priority, fields, count, body, data) : fatal_error;
    stream_opened(session, stream);
    return stream;
}

// The request that asked for the upgrade has stream 1 (RFC 7540, 3.2).
__attribute__((weak, visibility("default"))) int nghttp2_session_upgrade2(
    nghttp2_session *session, const uint8_t *settings, size_t length, int is_head, void *data) {
    static _Atomic(session_upgrader) own;
    if (!atomic_load(&own)) atomic_store(&own, (session_upgrader)own_function("nghttp2_session_upgrade2"));
    session_upgrader upgrade = atomic_load(&own);
    int result = upgrade ? upgrade(session, settings, length, is_head, data) : fatal_error;
    if (result == 0) stream_opened(session, 1);
    return result;
}
