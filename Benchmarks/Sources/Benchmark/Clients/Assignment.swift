// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation

/// One of the clients that are compared.
enum ClientKind: String, Codable {
    case libcurl
    case bluebonnet

    /// What tables call it.
    var title: String {
        switch self {
        case .libcurl: "libcurl in C"
        case .bluebonnet: "Bluebonnet"
        }
    }
}

/// What one client process has to do. It is handed over as JSON.
struct Assignment: Codable {
    var client: ClientKind
    /// What is measured.
    var work: Work
    /// What is done before, on the same client, so that the measured part finds connections, threads and caches there.
    var warmUp: Work
    /// How many transfers may be in flight.
    var concurrency: Int
    /// Whether connections are closed and descriptors counted before and after the measured part.
    var countsDescriptors = false
}

/// A number of GETs of one URL.
struct Work: Codable {
    var url: URL
    var requestCount: Int
    /// How long each body has to be.
    var byteCount: Int64
    /// A file for the body; without one bodies stay in memory, or are counted and dropped.
    var outputPath: String?
}
