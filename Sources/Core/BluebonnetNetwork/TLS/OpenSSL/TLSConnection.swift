// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import COpenSSL
internal import Foundation

/// Queries about one of libcurl's TLS connections, which is identified by its `SSL` object. Network thread only.
enum TLSConnection {
    /// Returns whether HTTP/2 was negotiated.
    static func isMultiplexed(_ connection: UnsafeMutableRawPointer) -> Bool {
        applicationProtocol(OpaquePointer(connection)).elementsEqual("h2".utf8)
    }

    /// Returns whether there are decrypted bytes that were not read.
    static func hasPendingBytes(_ connection: UnsafeMutableRawPointer) -> Bool {
        SSL_pending(OpaquePointer(connection)) > 0
    }

    /// Returns the negotiated parameters. They are read from OpenSSL once and then stored with the connection.
    static func information(_ connection: UnsafeMutableRawPointer) -> Box<TLSInformation> {
        let connection = OpaquePointer(connection)
        if let known = known.object(on: connection) { return known }
        let information = Box(
            TLSInformation(
                version: TLSProtocolVersion(rawValue: UInt16(truncatingIfNeeded: SSL_version(connection))),
                cipher: SSL_CIPHER_get_name(SSL_get_current_cipher(connection)).map { String(cString: $0) } ?? "",
                applicationProtocol: String(validating: applicationProtocol(connection), as: UTF8.self)
                    .flatMap { $0.isEmpty ? nil : $0 },
                certificateExpiry: expiry(ofServerOn: connection)))
        _ = known.attach(information, to: connection)  // on failure, OpenSSL is asked again
        return information
    }

    private static let known = AttachedObject<Box<TLSInformation>>(to: .connection)

    private static func applicationProtocol(_ connection: OpaquePointer) -> UnsafeBufferPointer<UInt8> {
        var name: UnsafePointer<UInt8>?
        var count: CUnsignedInt = 0
        SSL_get0_alpn_selected(connection, &name, &count)
        return UnsafeBufferPointer(start: name, count: Int(count))
    }

    private static func expiry(ofServerOn connection: OpaquePointer) -> Date? {
        guard let certificate = SSL_get0_peer_certificate(connection) else { return nil }
        let seconds = bluebonnet_seconds_of_time(X509_get0_notAfter(certificate))
        return seconds == .min ? nil : Date(timeIntervalSince1970: TimeInterval(seconds))
    }
}
