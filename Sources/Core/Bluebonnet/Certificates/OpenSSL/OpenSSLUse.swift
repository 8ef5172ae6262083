// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CExit

/// Runs what uses OpenSSL on a thread that the process may exit beside: on any thread but the network thread, whose
/// turns are such uses. OpenSSL's objects are freed inside too.
func usingOpenSSL<Result, Failure: Error>(_ use: () throws(Failure) -> Result) throws(Failure) -> Result {
    bluebonnet_openssl_use_begins()
    defer { bluebonnet_openssl_use_ends() }
    return try use()
}
