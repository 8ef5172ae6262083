// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation

/// The URL of a path on a port of 127.0.0.1.
func loopbackURL(_ scheme: String, _ port: Int, _ path: String) -> URL {
    guard let url = URL(string: "\(scheme)://127.0.0.1:\(port)\(path)") else {
        preconditionFailure("\(path) is not the path of a URL")
    }
    return url
}
