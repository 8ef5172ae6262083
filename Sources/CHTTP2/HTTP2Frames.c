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
typedef struct {
    frame_header header;
    int32_t last_stream;
    uint32_t error;
} goaway_frame;
typedef int (*frame_callback)(nghttp2_session *session, const frame_header *frame, void *context);
typedef void (*callback_setter)(nghttp2_session_callbacks *callbacks, frame_callback callback);
typedef int (*close_callback)(nghttp2_session *session, int32_t stream, uint32_t error, void *context);
typedef void (*close_setter)(nghttp2_session_callbacks *callbacks, close_callback callback);
typedef int (*invalid_field_callback)(
    nghttp2_session *session, const frame_header *frame, const uint8_t *name, size_t name_length, const uint8_t *value,
    size_t value_length, uint8_t flags, void *context);
typedef invalid_field_callback field_callback;
typedef void (*field_setter)(nghttp2_session_callbacks *callbacks, field_callback callback);
typedef void (*invalid_field_setter)(nghttp2_session_callbacks *callbacks, invalid_field_callback callback);
typedef int (*error_callback)(nghttp2_session *session, int error, const char *text, size_t length, void *context);
typedef void (*error_setter)(nghttp2_session_callbacks *callbacks, error_callback callback);
typedef void *(*stream_data_getter)(nghttp2_session *session, int32_t stream);

// nghttp2's callback has a union of all frames, as large as its largest member; this is larger.
typedef union {
    data_frame data;
    unsigned char room[256];
} any_frame;

enum { type_data = 0, type_headers = 1, type_goaway = 7, flag_end_stream = 1 };
enum { error_refused_stream = 7, error_compression = 9 };
// NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE: the stream is reset with PROTOCOL_ERROR.
enum { reset_stream = -521 };
// NGHTTP2_ERR_SETTINGS_EXPECTED and NGHTTP2_ERR_CALLBACK_FAILURE: the session has failed.
enum { error_settings_expected = -536, session_failed = -902 };
// libcurl opens up to 100 streams before the server's SETTINGS have come.
enum { last_early_stream = 2 * 100 - 1 };

static _Thread_local bluebonnet_http2_observer observer;
static _Thread_local bool repairs_trailers;
static _Atomic(frame_callback) callback_of_libcurl;
static _Atomic(close_callback) close_callback_of_libcurl;
static _Atomic(stream_data_getter) stream_data;
static _Atomic(field_callback) field_callback_of_libcurl;
static _Atomic(frame_callback) send_callback_of_libcurl;

// The stream whose field came last, and the bytes of its head until now. A session receives all fields of a head before
// the next head.
static _Thread_local struct {
    nghttp2_session *session;
    int32_t stream;
    size_t byte_count;
} head;

void bluebonnet_observe_http2_frames(bluebonnet_http2_observer new_observer, bool new_repairs_trailers) {
    observer = new_observer;
    repairs_trailers = new_repairs_trailers;
}

bool bluebonnet_http2_frames_are_observed(void) { return atomic_load(&callback_of_libcurl) != NULL; }

// Some versions of libcurl (LostTrailers.swift) lose body bytes that they have buffered when trailers end the stream and
// the session ends with them, in one read from the connection (GOAWAY, or a fault). They do not when a DATA frame ends
// the stream: for that frame they mark the stream as one with bytes to deliver ("drain"), and do nothing else with it
// once the response's head has come, as nghttp2 has made sure for fields that end a stream.
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
    return is_observed && repairs_trailers && ends_with_fields && result == 0 ? trailers_arrived(session, frame, context) : result;
}

// Tells the observer of a stream that was refused. nghttp2 closes those that a GOAWAY excludes with this error too.
static int stream_closed(nghttp2_session *session, int32_t stream, uint32_t error, void *context) {
    if (observer && error == error_refused_stream) {
        stream_data_getter getter = atomic_load(&stream_data);
        void *easy_handle = getter ? getter(session, stream) : NULL;
        bluebonnet_http2_frame told = {.type = 3, .is_refusal = true};
        if (easy_handle) observer(easy_handle, told);
    }
    return atomic_load(&close_callback_of_libcurl)(session, stream, error, context);
}

// Whether an address lies in the object that libcurl is in.
static bool is_in_libcurl(const void *address) {
    Dl_info library, info;
    void *function = dlsym(RTLD_DEFAULT, "curl_multi_socket_action");
    return function && dladdr(function, &library) && dladdr(address, &info) && library.dli_fbase == info.dli_fbase;
}

static bool find_stream_data(void) {
    stream_data_getter getter = (stream_data_getter)dlsym(RTLD_DEFAULT, "nghttp2_session_get_stream_user_data");
    if (getter) atomic_store(&stream_data, getter);
    return getter != NULL;
}

// Whether calls that come from this callback are known to be libcurl's, whose callback is always the same one.
static bool can_observe(frame_callback callback) {
    if (!is_in_libcurl((const void *)callback) || !find_stream_data()) return false;
    frame_callback none = NULL;
    return atomic_compare_exchange_strong(&callback_of_libcurl, &none, callback) || none == callback;
}

static bool can_observe_closing(close_callback callback) {
    if (!is_in_libcurl((const void *)callback) || !find_stream_data()) return false;
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

// Whether a field makes its message malformed (RFC 9113, 8.2.1).
static bool is_malformed(const uint8_t *name, size_t name_length, const uint8_t *value, size_t value_length) {
    for (size_t i = 0; i < name_length; i++) {
        bool is_capital = name[i] >= 'A' && name[i] <= 'Z';
        if (name[i] <= ' ' || name[i] >= 0x7f || is_capital || (name[i] == ':' && i > 0)) return true;
    }
    for (size_t i = 0; i < value_length; i++)
        if (value[i] == 0 || value[i] == '\r' || value[i] == '\n') return true;
    return name_length == 0;
}

// nghttp2 drops fields that it finds invalid, and the rest of the response counts. That stays so for other control
// characters in a value, which RFC 9110 (5.5) leaves to recipients.
static int invalid_field_arrived(
    nghttp2_session *session, const frame_header *frame, const uint8_t *name, size_t name_length, const uint8_t *value,
    size_t value_length, uint8_t flags, void *context) {
    return is_malformed(name, name_length, value, value_length) ? reset_stream : 0;
}

static void tell(nghttp2_session *session, int32_t stream, bluebonnet_http2_frame told) {
    stream_data_getter getter = atomic_load(&stream_data);
    void *easy_handle = getter ? getter(session, stream) : NULL;
    if (observer && easy_handle) observer(easy_handle, told);
}

// libcurl 7.88 keeps 128 KiB of a head, and gives up the connection with all of its streams when there is more. Here
// nghttp2 resets the stream alone.
static int field_arrived(
    nghttp2_session *session, const frame_header *frame, const uint8_t *name, size_t name_length, const uint8_t *value,
    size_t value_length, uint8_t flags, void *context) {
    bool begins = name_length > 0 && name[0] == ':';
    if (begins || head.session != session || head.stream != frame->stream_id) {
        head.session = session;
        head.stream = frame->stream_id;
        head.byte_count = 0;
    }
    head.byte_count += name_length + value_length + sizeof ": \r\n" - 1;
    if (observer && head.byte_count > bluebonnet_http2_head_limit) {
        tell(session, frame->stream_id, (bluebonnet_http2_frame){.fault = bluebonnet_http2_head_too_large});
        return reset_stream;
    }
    return atomic_load(&field_callback_of_libcurl)(
        session, frame, name, name_length, value, value_length, flags, context);
}

// nghttp2 cannot read a head, and ends the connection: the compression is broken, or a field is longer than nghttp2
// takes (65,536 bytes). It was reading the head of the stream whose field came last.
static int frame_sent(nghttp2_session *session, const frame_header *frame, void *context) {
    bool is_unreadable = frame->type == type_goaway && ((const goaway_frame *)frame)->error == error_compression;
    if (is_unreadable && head.session == session)
        tell(session, head.stream, (bluebonnet_http2_frame){.fault = bluebonnet_http2_head_unreadable});
    frame_callback callback = atomic_load(&send_callback_of_libcurl);
    return callback ? callback(session, frame, context) : 0;
}

// The server's first frame is not SETTINGS (RFC 9113, 3.4). nghttp2 discards all that follows and wants to send GOAWAY;
// libcurl 8.14 and later still wait for the response. A failed callback makes libcurl give up the connection.
static int error_arrived(nghttp2_session *session, int error, const char *text, size_t length, void *context) {
    if (!observer || error != error_settings_expected) return 0;
    for (int32_t stream = 1; stream <= last_early_stream; stream += 2)
        tell(session, stream, (bluebonnet_http2_frame){.fault = bluebonnet_http2_lacks_settings});
    return session_failed;
}

static void observe_errors(nghttp2_session_callbacks *callbacks) {
    // Where this is set, nghttp2 does not call the callback without a code, with which libcurl writes to its log.
    error_setter set = (error_setter)own_function("nghttp2_session_callbacks_set_error_callback2");
    if (set) set(callbacks, error_arrived);
    callback_setter set_sent = (callback_setter)own_function("nghttp2_session_callbacks_set_on_frame_send_callback");
    if (set_sent) set_sent(callbacks, frame_sent);
}

static void refuse_invalid_fields(nghttp2_session_callbacks *callbacks) {
    invalid_field_setter set =
        (invalid_field_setter)own_function("nghttp2_session_callbacks_set_on_invalid_header_callback");
    if (set) set(callbacks, invalid_field_arrived);
}

// Weak: where nghttp2 is linked statically, its own functions are used, and nothing is observed.
__attribute__((weak, visibility("default"))) void
nghttp2_session_callbacks_set_on_frame_recv_callback(nghttp2_session_callbacks *callbacks, frame_callback callback) {
    callback_setter set = (callback_setter)own_function("nghttp2_session_callbacks_set_on_frame_recv_callback");
    bool is_libcurl = can_observe(callback);
    if (set) set(callbacks, is_libcurl ? frame_arrived : callback);
    if (!is_libcurl) return;
    refuse_invalid_fields(callbacks);
    observe_errors(callbacks);
}

__attribute__((weak, visibility("default"))) void
nghttp2_session_callbacks_set_on_stream_close_callback(nghttp2_session_callbacks *callbacks, close_callback callback) {
    close_setter set = (close_setter)own_function("nghttp2_session_callbacks_set_on_stream_close_callback");
    if (set) set(callbacks, can_observe_closing(callback) ? stream_closed : callback);
}

__attribute__((weak, visibility("default"))) void
nghttp2_session_callbacks_set_on_header_callback(nghttp2_session_callbacks *callbacks, field_callback callback) {
    field_setter set = (field_setter)own_function("nghttp2_session_callbacks_set_on_header_callback");
    bool is_libcurl = is_in_libcurl((const void *)callback) && find_stream_data();
    if (is_libcurl) atomic_store(&field_callback_of_libcurl, callback);
    if (set) set(callbacks, is_libcurl ? field_arrived : callback);
}

// Older versions of libcurl, such as 7.88, set no such callback.
__attribute__((weak, visibility("default"))) void
nghttp2_session_callbacks_set_on_frame_send_callback(nghttp2_session_callbacks *callbacks, frame_callback callback) {
    callback_setter set = (callback_setter)own_function("nghttp2_session_callbacks_set_on_frame_send_callback");
    bool is_libcurl = is_in_libcurl((const void *)callback);
    if (is_libcurl) atomic_store(&send_callback_of_libcurl, callback);
    if (set) set(callbacks, is_libcurl ? frame_sent : callback);
}
