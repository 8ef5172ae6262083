// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Dispatch

/// What an operation runs on: a transport and an admission. A manager has its own, with its own limits; the connections
/// below are the process's.
package final class NetworkServices: Sendable {
    /// For operations that belong to no manager: 64 transfers in all, 6 an origin.
    static let `default` = NetworkServices(limit: 64, limitPerOrigin: 6)

    private let admissionBox: NetworkBound<Admission>
    private let scripted: NetworkBound<any Transport>?

    init(limit: Int, limitPerOrigin: Int) {
        admissionBox = NetworkBound(Admission(limit: limit, limitPerOrigin: limitPerOrigin))
        scripted = nil
    }

    /// For tests: over another transport than libcurl.
    init(limit: Int, limitPerOrigin: Int, transport: sending any Transport) {
        admissionBox = NetworkBound(Admission(limit: limit, limitPerOrigin: limitPerOrigin))
        scripted = NetworkBound(transport)
    }

    /// Network thread only.
    var admission: Admission { admissionBox.value }

    /// Network thread only.
    var transport: any Transport { scripted?.value ?? Self.curl.value }

    /// The process's connections; made on the network thread, where it is first asked for.
    private static let curl = NetworkBound(CurlTransport(loop: NetworkThread.shared.eventLoop))

    /// Begins, on other threads, what the first transfer of the process would wait for: the network thread, libcurl and
    /// OpenSSL.
    package static func prepare() {
        NetworkThread.shared.submit { _ = Self.curl.value }
        Queues.preparation.async { _ = MessageDigest(.sha256) }
    }
}
