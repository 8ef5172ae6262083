// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import COpenSSL

/// Remembers which TLS connections ended with a close_notify alert (RFC 8446, 6.1), which libcurl does not tell.
///
/// Network thread only: OpenSSL calls back on the thread that drives the connection. A connection is known by its
/// address, which is forgotten when another connection begins its handshake at the same one.
struct CloseNoticeLedger {
    nonisolated(unsafe) private static var notified: Set<UInt> = []  // safe: checked to be on the network thread

    /// Watches the connections that will be made from an `SSL_CTX`.
    static func watch(context: UnsafeMutableRawPointer) {
        SSL_CTX_set_info_callback(OpaquePointer(context)) { connection, event, value in
            guard let connection else { return }
            CloseNoticeLedger.record(connection: UInt(bitPattern: connection), event: event, value: value)
        }
    }

    /// Whether the connection's peer has said that it ends; forgets it.
    static func takeNotice(connection: UnsafeMutableRawPointer) -> Bool {
        NetworkThread.preconditionIsCurrent()
        return notified.remove(UInt(bitPattern: connection)) != nil
    }

    private static func record(connection: UInt, event: CInt, value: CInt) {
        NetworkThread.preconditionIsCurrent()
        if event & SSL_CB_HANDSHAKE_START != 0 {
            notified.remove(connection)
        } else if event == SSL_CB_READ | SSL_CB_ALERT, value & 0xFF == SSL3_AD_CLOSE_NOTIFY {
            notified.insert(connection)
        }
    }
}
