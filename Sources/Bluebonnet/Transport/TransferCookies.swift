// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// The cookies that go along with a transfer, and where those that come are kept. A transfer holds them until it is
/// over.
protocol TransferCookies: AnyObject, Sendable {
    /// The engine that sends and keeps them, as a share of libcurl's. Network thread only.
    func openShare() throws(CurlError) -> UnsafeMutableRawPointer

    /// A `Set-Cookie` line came from this URL; the engine has read it. Network thread only.
    func noteReceived(line: UnsafeRawBufferPointer, from url: URL)

    /// A response of this host may just have set a cookie. While libcurl works on its head; network thread only.
    func noteCookie(of host: String)

    /// So many cookies may have been added, and the engine does nothing just then. Network thread only.
    func noteAdded(_ count: Int)
}
