// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT
//
// What libcurl itself needs for the same requests, used from C without anything in between: the limit that
// Bluebonnet is compared with.
#ifndef BLUEBONNET_CURL_DRIVER_H
#define BLUEBONNET_CURL_DRIVER_H

#include <stdint.h>

/// One multi handle behind an epoll loop of its own, and as many easy handles, used again and again, as transfers may
/// be in flight. One thread only.
typedef struct curl_driver curl_driver;

/// What to get, how often, and what each answer has to be besides a status of 200.
typedef struct {
    const char *url;
    long request_count;
    int64_t byte_count;
    /// A descriptor that bodies are written to, or -1: they are counted and dropped.
    int output;
} curl_driver_job;

/// Makes a driver; NULL when there is no memory or no descriptor left.
curl_driver *curl_driver_create(int concurrency);

/// Runs a job to its end. Returns NULL, or what was wrong with the first answer that was not as it had to be: a
/// sentence that stays until the next call.
const char *curl_driver_run(curl_driver *driver, const curl_driver_job *job);

/// Closes the connections and frees everything.
void curl_driver_free(curl_driver *driver);

/// The version of the libcurl in use, such as "7.88.1".
const char *curl_driver_library_version(void);

#endif
