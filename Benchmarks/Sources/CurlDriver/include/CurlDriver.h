// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT
//
// Makes the same requests with libcurl used directly from C: the limit with which Bluebonnet is compared.
#ifndef BLUEBONNET_CURL_DRIVER_H
#define BLUEBONNET_CURL_DRIVER_H

#include "MixedRequest.h"

#include <stdint.h>

/// A multi handle with its own epoll loop, and one reused easy handle for each transfer in flight. One thread only.
typedef struct curl_driver curl_driver;

/// The maximum numbers of transfers and connections.
typedef struct {
    int in_flight;
    /// The maximum number of connections to one origin.
    int per_origin;
    /// The maximum number of kept connections, including idle ones.
    int kept;
} curl_driver_limits;

/// The requests to send, their number, and the expected answers, which must have a status from 200 to 299.
typedef struct {
    /// The origins of mixed traffic, whose requests are made by `mixed_request_make`; URL, method and body are then
    /// unused. NULL for traffic with a single request.
    const char *const *origins;
    long origin_count;
    /// The number of the first request of mixed traffic.
    uint64_t first_number;
    const char *url;
    const char *method;
    /// The bytes of each request's body; NULL without a body, or if `body_file` names a file with the body.
    const void *body;
    const char *body_file;
    /// The length of the body; -1 without a body.
    int64_t body_byte_count;
    /// A folder in which each body is written to a file named by the request's number. NULL collects bodies in memory
    /// and drops them.
    const char *output_folder;
    long request_count;
    /// The expected length of each answer's body; -1 is not checked.
    int64_t byte_count;
    /// Receives the time of each request in microseconds, by its number.
    float *microseconds;
} curl_driver_job;

/// Makes a driver. Returns NULL if memory or descriptors are exhausted.
///
/// `authority_file` is a PEM file of the authorities to trust instead of the system's, or NULL.
curl_driver *curl_driver_create(const curl_driver_limits *limits, const char *authority_file);

/// Runs a job to its end. Returns NULL, or a sentence about the first answer that was not as expected, which stays
/// valid until the next call.
const char *curl_driver_run(curl_driver *driver, const curl_driver_job *job);

/// Closes the connections and frees the driver.
void curl_driver_free(curl_driver *driver);

/// Returns the version of the libcurl in use, such as "7.88.1".
const char *curl_driver_library_version(void);

#endif
