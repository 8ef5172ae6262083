// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CExit

/// Runs code that uses OpenSSL, on a thread other than the network thread, so that the process can exit safely
/// meanwhile. The network thread marks its own turns as uses. OpenSSL objects must be freed inside a use too.
func usingOpenSSL<Result, Failure: Error>(_ use: () throws(Failure) -> Result) throws(Failure) -> Result {
    bluebonnet_openssl_use_begins()
    defer { bluebonnet_openssl_use_ends() }
    return try use()
}
