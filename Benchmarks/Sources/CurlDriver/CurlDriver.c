// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT
#include "CurlDriver.h"

#include "MixedTransfer.h"
#include "SocketLoop.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/// One easy handle and its current transfer.
struct lane {
    CURL *easy;
    curl_driver *driver;
    long number;
    struct timespec began;
    int64_t received;
    /// The body in memory, which any client that delivers bodies must keep. The buffer is reused by the next transfer.
    char *body;
    size_t body_capacity;
    int output;
    int input;
    int is_running;
    struct mixed_transfer mixed;
};

struct curl_driver {
    struct socket_loop loop;
    const curl_driver_job *job;
    long started;
    long finished;
    struct curl_slist *fields;
    char failure[CURL_ERROR_SIZE + 64];
    int lane_count;
    struct lane lanes[];
};

static int has_failed(const curl_driver *driver) {
    return driver->failure[0] != 0;
}

// Bodies

static int write_all(int descriptor, const char *bytes, size_t count) {
    while (count > 0) {
        ssize_t written = write(descriptor, bytes, count);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return -1;
        bytes += written;
        count -= (size_t)written;
    }
    return 0;
}

/// Appends to the body, which is kept in one piece. The capacity is doubled, because large bodies would otherwise be
/// copied repeatedly.
static int keep(struct lane *lane, const char *bytes, size_t count) {
    size_t end = (size_t)lane->received + count;
    if (end > lane->body_capacity) {
        size_t capacity = lane->body_capacity * 2 > end ? lane->body_capacity * 2 : end;
        char *body = realloc(lane->body, capacity);
        if (body == NULL) return -1;
        lane->body = body;
        lane->body_capacity = capacity;
    }
    memcpy(lane->body + lane->received, bytes, count);
    return 0;
}

static size_t body_received(char *bytes, size_t size, size_t count, void *context) {
    struct lane *lane = context;
    size_t total = size * count;
    int result = lane->output >= 0 ? write_all(lane->output, bytes, total) : keep(lane, bytes, total);
    if (result != 0) return 0;
    lane->received += (int64_t)total;
    return total;
}

static size_t body_wanted(char *bytes, size_t size, size_t count, void *context) {
    struct lane *lane = context;
    ssize_t result = read(lane->input, bytes, size * count);
    return result < 0 ? CURL_READFUNC_ABORT : (size_t)result;
}

static int rewind_body(void *context, curl_off_t offset, int origin) {
    struct lane *lane = context;
    return lseek(lane->input, offset, origin) < 0 ? CURL_SEEKFUNC_FAIL : CURL_SEEKFUNC_OK;
}

// Transfers

static void fail(curl_driver *driver, const char *reason) {
    snprintf(driver->failure, sizeof driver->failure, "%s", reason);
}

static int open_output(struct lane *lane) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%ld", lane->driver->job->output_folder, lane->number);
    lane->output = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    return lane->output;
}

static int prepare_mixed(struct lane *lane) {
    const curl_driver_job *job = lane->driver->job;
    uint64_t number = job->first_number + (uint64_t)lane->number;
    return mixed_transfer_prepare(&lane->mixed, lane->easy, job->origins, job->origin_count, number);
}

static void start(struct lane *lane) {
    curl_driver *driver = lane->driver;
    lane->received = 0;
    lane->is_running = 1;
    lane->number = driver->started++;
    clock_gettime(CLOCK_MONOTONIC, &lane->began);
    if (driver->job->output_folder != NULL && open_output(lane) < 0) fail(driver, "an output file cannot be made");
    if (driver->job->origins != NULL && prepare_mixed(lane) != 0) fail(driver, "a mixed request cannot be made");
    if (lane->input >= 0) lseek(lane->input, 0, SEEK_SET);
    CURLMcode result = curl_multi_add_handle(driver->loop.multi, lane->easy);
    if (result != CURLM_OK) fail(driver, curl_multi_strerror(result));
}

static void close_file(int *descriptor) {
    if (*descriptor >= 0) close(*descriptor);
    *descriptor = -1;
}

static void stop(struct lane *lane) {
    if (!lane->is_running) return;
    lane->is_running = 0;
    curl_multi_remove_handle(lane->driver->loop.multi, lane->easy);
    mixed_transfer_release(&lane->mixed, lane->easy);
    close_file(&lane->output);
}

static void take_time(struct lane *lane) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    lane->driver->job->microseconds[lane->number] =
        (float)((now.tv_sec - lane->began.tv_sec) * 1e6 + (now.tv_nsec - lane->began.tv_nsec) / 1e3);
}

static void check(struct lane *lane, CURLcode result) {
    curl_driver *driver = lane->driver;
    int64_t expected = driver->job->byte_count;
    long status = 0;
    curl_easy_getinfo(lane->easy, CURLINFO_RESPONSE_CODE, &status);
    if (result != CURLE_OK)
        fail(driver, curl_easy_strerror(result));
    else if (status < 200 || status > 299)
        snprintf(driver->failure, sizeof driver->failure, "status %ld", status);
    else if (expected >= 0 && lane->received != expected)
        snprintf(driver->failure, sizeof driver->failure, "%lld bytes, expected %lld", (long long)lane->received,
                 (long long)expected);
}

static void take_finished(curl_driver *driver) {
    CURLMsg *message;
    int left;
    while (!has_failed(driver) && (message = curl_multi_info_read(driver->loop.multi, &left)) != NULL) {
        char *private = NULL;
        CURLcode result = message->data.result;
        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &private);
        struct lane *lane = (struct lane *)private;
        stop(lane);
        take_time(lane);
        driver->finished++;
        check(lane, result);
        if (!has_failed(driver) && driver->started < driver->job->request_count) start(lane);
    }
}

// The driver

static int open_lane(struct lane *lane, curl_driver *driver, const char *authority_file) {
    lane->driver = driver;
    lane->output = lane->input = -1;
    lane->easy = curl_easy_init();
    if (lane->easy == NULL) return -1;
    curl_easy_setopt(lane->easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(lane->easy, CURLOPT_PROXY, "");
    curl_easy_setopt(lane->easy, CURLOPT_PRIVATE, lane);
    curl_easy_setopt(lane->easy, CURLOPT_WRITEFUNCTION, body_received);
    curl_easy_setopt(lane->easy, CURLOPT_WRITEDATA, lane);
    curl_easy_setopt(lane->easy, CURLOPT_READFUNCTION, body_wanted);
    curl_easy_setopt(lane->easy, CURLOPT_READDATA, lane);
    curl_easy_setopt(lane->easy, CURLOPT_SEEKFUNCTION, rewind_body);
    curl_easy_setopt(lane->easy, CURLOPT_SEEKDATA, lane);
    curl_easy_setopt(lane->easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_2TLS);
    if (authority_file != NULL) {
        // The server is verified against these authorities only.
        curl_easy_setopt(lane->easy, CURLOPT_CAINFO, authority_file);
        curl_easy_setopt(lane->easy, CURLOPT_CAPATH, NULL);
        // Streams wait for a connection to share. Otherwise each would open a connection until the first is known to
        // use HTTP/2.
        curl_easy_setopt(lane->easy, CURLOPT_PIPEWAIT, 1L);
    }
    return 0;
}

static void set_limits(CURLM *multi, const curl_driver_limits *limits) {
    // All requests of a round can share one HTTP/2 connection, and all connections are kept.
    curl_multi_setopt(multi, CURLMOPT_PIPELINING, (long)CURLPIPE_MULTIPLEX);
    curl_multi_setopt(multi, CURLMOPT_MAX_CONCURRENT_STREAMS, (long)limits->in_flight);
    curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, (long)limits->kept);
    if (limits->per_origin < limits->in_flight)
        curl_multi_setopt(multi, CURLMOPT_MAX_HOST_CONNECTIONS, (long)limits->per_origin);
}

curl_driver *curl_driver_create(const curl_driver_limits *limits, const char *authority_file) {
    curl_driver *driver = calloc(1, sizeof *driver + (size_t)limits->in_flight * sizeof *driver->lanes);
    if (driver == NULL) return NULL;
    driver->lane_count = limits->in_flight;
    int result = socket_loop_open(&driver->loop);
    if (result == 0) set_limits(driver->loop.multi, limits);
    for (int index = 0; index < driver->lane_count && result == 0; index++)
        result = open_lane(&driver->lanes[index], driver, authority_file);
    if (result == 0) return driver;
    curl_driver_free(driver);
    return NULL;
}

void curl_driver_free(curl_driver *driver) {
    for (int index = 0; index < driver->lane_count; index++) {
        curl_easy_cleanup(driver->lanes[index].easy);
        free(driver->lanes[index].body);
    }
    socket_loop_close(&driver->loop);
    free(driver);
}

/// Sets the request's body: bytes in memory, or a file that is read during sending.
static int prepare_body(struct lane *lane, const curl_driver_job *job) {
    curl_easy_setopt(lane->easy, CURLOPT_HTTPHEADER, lane->driver->fields);
    if (job->body_file == NULL) {
        curl_easy_setopt(lane->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)job->body_byte_count);
        curl_easy_setopt(lane->easy, CURLOPT_POSTFIELDS, job->body);
        return 0;
    }
    lane->input = open(job->body_file, O_RDONLY | O_CLOEXEC);
    curl_easy_setopt(lane->easy, CURLOPT_UPLOAD, 1L);
    curl_easy_setopt(lane->easy, CURLOPT_INFILESIZE_LARGE, (curl_off_t)job->body_byte_count);
    curl_easy_setopt(lane->easy, CURLOPT_UPLOAD_BUFFERSIZE, 256 * 1024L);
    return lane->input < 0 ? -1 : 0;
}

/// Sets the options of the job: the request, and for large bodies a larger buffer, which saves system calls.
static int prepare(struct lane *lane, const curl_driver_job *job) {
    int is_large = job->output_folder != NULL || job->byte_count > 1 << 20;
    curl_easy_setopt(lane->easy, CURLOPT_BUFFERSIZE, is_large ? 256 * 1024L : (long)CURL_MAX_WRITE_SIZE);
    if (job->origins != NULL) return 0;
    curl_easy_setopt(lane->easy, CURLOPT_URL, job->url);
    if (job->body_byte_count >= 0 && prepare_body(lane, job) != 0) return -1;
    if (strcmp(job->method, "GET") != 0) curl_easy_setopt(lane->easy, CURLOPT_CUSTOMREQUEST, job->method);
    return 0;
}

static void run_loop(curl_driver *driver) {
    const curl_driver_job *job = driver->job;
    for (int index = 0; index < driver->lane_count && driver->started < job->request_count; index++)
        start(&driver->lanes[index]);
    while (!has_failed(driver) && driver->finished < job->request_count) {
        socket_loop_turn(&driver->loop);
        take_finished(driver);
    }
}

const char *curl_driver_run(curl_driver *driver, const curl_driver_job *job) {
    driver->job = job;
    driver->started = driver->finished = 0;
    driver->failure[0] = 0;
    // Do not wait for 100 Continue, because no other client requests it.
    driver->fields = curl_slist_append(NULL, "Expect:");
    for (int index = 0; index < driver->lane_count; index++)
        if (prepare(&driver->lanes[index], job) != 0) fail(driver, "the file to send cannot be read");
    if (!has_failed(driver)) run_loop(driver);
    for (int index = 0; index < driver->lane_count; index++) {
        stop(&driver->lanes[index]);
        close_file(&driver->lanes[index].input);
        curl_easy_setopt(driver->lanes[index].easy, CURLOPT_HTTPHEADER, NULL);
    }
    curl_slist_free_all(driver->fields);
    return has_failed(driver) ? driver->failure : NULL;
}

const char *curl_driver_library_version(void) {
    return curl_version_info(CURLVERSION_NOW)->version;
}
