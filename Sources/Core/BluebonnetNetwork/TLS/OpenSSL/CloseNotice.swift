// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import COpenSSL

/// Records whether the peer of a TLS connection has sent a close_notify alert (RFC 8446, 6.1), which libcurl does not
/// report. Network thread only: OpenSSL calls back on the thread that drives the connection.
///
/// The object is attached to the connection and outlives it while a transfer retains it. libcurl frees a connection
/// before it reports the end of the transfer, and the next connection may get the same address.
final class CloseNotice {
    private static let place = AttachedObject<CloseNotice>(to: .connection)
    private(set) var hasCome: Bool

    private init(hasCome: Bool) { self.hasCome = hasCome }

    /// Watches the connections that are made from an `SSL_CTX`.
    static func watch(context: UnsafeMutableRawPointer) {
        SSL_CTX_set_info_callback(OpaquePointer(context)) { connection, event, value in
            guard event == SSL_CB_READ | SSL_CB_ALERT, value & 0xFF == SSL3_AD_CLOSE_NOTIFY, let connection else {
                return
            }
            NetworkThread.preconditionIsCurrent()
            CloseNotice.place.object(on: connection)?.hasCome = true
        }
    }

    /// Returns the notice of a connection, which may have arrived already. If OpenSSL cannot attach the object, no
    /// notice is ever recorded.
    static func awaited(on connection: UnsafeMutableRawPointer) -> CloseNotice {
        NetworkThread.preconditionIsCurrent()
        let connection = OpaquePointer(connection)
        if let known = place.object(on: connection) { return known }
        let notice = CloseNotice(hasCome: SSL_get_shutdown(connection) & SSL_RECEIVED_SHUTDOWN != 0)
        _ = place.attach(notice, to: connection)
        return notice
    }
}

@available(*, unavailable)
extension CloseNotice: Sendable {}
