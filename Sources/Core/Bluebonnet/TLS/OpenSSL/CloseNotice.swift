// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import COpenSSL

/// Whether the peer of a TLS connection has said that it ends, by a close_notify alert (RFC 8446, 6.1), which libcurl
/// does not tell. Network thread only: OpenSSL calls back on the thread that drives the connection.
///
/// It hangs on the connection and outlives it for whoever waits for it: libcurl frees a connection before it says that
/// the transfer is over, and the next one may get its address.
final class CloseNotice {
    private static let place = AttachedObject<CloseNotice>(to: .connection)
    private(set) var hasCome: Bool

    private init(hasCome: Bool) { self.hasCome = hasCome }

    /// Watches the connections that will be made from an `SSL_CTX`.
    static func watch(context: UnsafeMutableRawPointer) {
        SSL_CTX_set_info_callback(OpaquePointer(context)) { connection, event, value in
            guard event == SSL_CB_READ | SSL_CB_ALERT, value & 0xFF == SSL3_AD_CLOSE_NOTIFY, let connection else {
                return
            }
            NetworkThread.preconditionIsCurrent()
            CloseNotice.place.object(on: connection)?.hasCome = true
        }
    }

    /// A connection's notice, which may have come already. When OpenSSL does not take it, none ever comes.
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
