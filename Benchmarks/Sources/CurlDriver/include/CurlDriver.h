// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT
//
// What libcurl itself needs for the same requests, used from C without anything in between: the limit that
// Bluebonnet is compared with.
#ifndef BLUEBONNET_CURL_DRIVER_H
#define BLUEBONNET_CURL_DRIVER_H

#include "MixedRequest.h"

#include <stdint.h>

/// One multi handle behind an epoll loop of its own, and as many easy handles, used again and again, as transfers may
/// be in flight. One thread only.
typedef struct curl_driver curl_driver;

/// How many transfers and connections there may be.
typedef struct {
    int in_flight;
    /// Connections to one origin.
    int per_origin;
    /// Connections that are kept, idle ones included.
    int kept;
} curl_driver_limits;

/// What to send, how often, and what each answer has to be besides a status from 200 to 299.
typedef struct {
    /// The origins of mixed traffic, whose requests are those of `mixed_request_make`; then there is no other URL,
    /// method or body. NULL for traffic of one request.
    const char *const *origins;
    long origin_count;
    /// The number of the first request of mixed traffic.
    uint64_t first_number;
    const char *url;
    const char *method;
    /// The bytes of each request's body, or NULL where there is none or `body_file` is a file that holds them.
    const void *body;
    const char *body_file;
    /// The length of the body; -1 when there is none.
    int64_t body_byte_count;
    /// A folder in which each body goes to a file named by the request's number, or NULL: bodies are collected in
    /// memory and dropped.
    const char *output_folder;
    long request_count;
    /// How long each answer's body has to be; -1 is not checked.
    int64_t byte_count;
    /// Where the microseconds that each request took are written, by its number.
    float *microseconds;
} curl_driver_job;

/// Makes a driver; NULL when there is no memory or no descriptor left.
///
/// `authority_file` is a PEM file of the authorities to trust instead of the system's, or NULL.
curl_driver *curl_driver_create(const curl_driver_limits *limits, const char *authority_file);

/// Runs a job to its end. Returns NULL, or what was wrong with the first answer that was not as it had to be: a
/// sentence that stays until the next call.
const char *curl_driver_run(curl_driver *driver, const curl_driver_job *job);

/// Closes the connections and frees everything.
void curl_driver_free(curl_driver *driver);

/// The version of the libcurl in use, such as "7.88.1".
const char *curl_driver_library_version(void);

#endif
