// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT
#include "CurlDriver.h"

#include "SocketLoop.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/// One easy handle and the transfer that it makes.
struct lane {
    CURL *easy;
    curl_driver *driver;
    int64_t received;
    int is_running;
};

struct curl_driver {
    struct socket_loop loop;
    const curl_driver_job *job;
    long started;
    long finished;
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

static size_t body_received(char *bytes, size_t size, size_t count, void *context) {
    struct lane *lane = context;
    int output = lane->driver->job->output;
    if (output >= 0 && write_all(output, bytes, size * count) != 0) return 0;
    lane->received += (int64_t)(size * count);
    return size * count;
}

// Transfers

static void start(struct lane *lane) {
    curl_driver *driver = lane->driver;
    lane->received = 0;
    lane->is_running = 1;
    driver->started++;
    CURLMcode result = curl_multi_add_handle(driver->loop.multi, lane->easy);
    if (result != CURLM_OK) snprintf(driver->failure, sizeof driver->failure, "%s", curl_multi_strerror(result));
}

static void stop(struct lane *lane) {
    if (!lane->is_running) return;
    lane->is_running = 0;
    curl_multi_remove_handle(lane->driver->loop.multi, lane->easy);
}

static void check(struct lane *lane, CURLcode result) {
    curl_driver *driver = lane->driver;
    long status = 0;
    curl_easy_getinfo(lane->easy, CURLINFO_RESPONSE_CODE, &status);
    if (result != CURLE_OK)
        snprintf(driver->failure, sizeof driver->failure, "%s", curl_easy_strerror(result));
    else if (status != 200 || lane->received != driver->job->byte_count)
        snprintf(driver->failure, sizeof driver->failure, "status %ld with %lld bytes, expected 200 with %lld", status,
                 (long long)lane->received, (long long)driver->job->byte_count);
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
        driver->finished++;
        check(lane, result);
        if (!has_failed(driver) && driver->started < driver->job->request_count) start(lane);
    }
}

// The driver

static int open_lane(struct lane *lane, curl_driver *driver) {
    lane->driver = driver;
    lane->easy = curl_easy_init();
    if (lane->easy == NULL) return -1;
    curl_easy_setopt(lane->easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(lane->easy, CURLOPT_PROXY, "");
    curl_easy_setopt(lane->easy, CURLOPT_PRIVATE, lane);
    curl_easy_setopt(lane->easy, CURLOPT_WRITEFUNCTION, body_received);
    curl_easy_setopt(lane->easy, CURLOPT_WRITEDATA, lane);
    return 0;
}

curl_driver *curl_driver_create(int concurrency) {
    curl_driver *driver = calloc(1, sizeof *driver + (size_t)concurrency * sizeof *driver->lanes);
    if (driver == NULL) return NULL;
    driver->lane_count = concurrency;
    int result = socket_loop_open(&driver->loop);
    for (int index = 0; index < concurrency && result == 0; index++) result = open_lane(&driver->lanes[index], driver);
    if (result == 0) return driver;
    curl_driver_free(driver);
    return NULL;
}

void curl_driver_free(curl_driver *driver) {
    for (int index = 0; index < driver->lane_count; index++) curl_easy_cleanup(driver->lanes[index].easy);
    socket_loop_close(&driver->loop);
    free(driver);
}

/// Sets what the job changes: the address, and for bodies that go to a file a buffer that is worth a system call.
static void prepare(struct lane *lane, const curl_driver_job *job) {
    curl_easy_setopt(lane->easy, CURLOPT_URL, job->url);
    curl_easy_setopt(lane->easy, CURLOPT_BUFFERSIZE, job->output < 0 ? (long)CURL_MAX_WRITE_SIZE : 256 * 1024L);
}

const char *curl_driver_run(curl_driver *driver, const curl_driver_job *job) {
    driver->job = job;
    driver->started = driver->finished = 0;
    driver->failure[0] = 0;
    for (int index = 0; index < driver->lane_count; index++) prepare(&driver->lanes[index], job);
    for (int index = 0; index < driver->lane_count && driver->started < job->request_count; index++)
        start(&driver->lanes[index]);
    while (!has_failed(driver) && driver->finished < job->request_count) {
        socket_loop_turn(&driver->loop);
        take_finished(driver);
    }
    for (int index = 0; index < driver->lane_count; index++) stop(&driver->lanes[index]);
    return has_failed(driver) ? driver->failure : NULL;
}

const char *curl_driver_library_version(void) {
    return curl_version_info(CURLVERSION_NOW)->version;
}
