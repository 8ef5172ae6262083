// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import COpenSSL

/// Sets on an `SSL_CTX` of libcurl's what libcurl has no option for. Network thread only; it lives as long as the
/// `SSL_CTX`. It knows nothing of transfers, and leaves the judgement on certificates to others.
final class TLSContext {
    private static let place = AttachedObject<TLSContext>(to: .context)

    fileprivate let setup: TLSSetup
    private let whenRefused: (NetworkingError) -> Void

    private init(_ setup: TLSSetup, whenRefused: @escaping (NetworkingError) -> Void) {
        self.setup = setup
        self.whenRefused = whenRefused
    }

    /// Prepares the context of a connection; false when OpenSSL does not take it.
    ///
    /// - Parameters:
    ///   - setup: for a connection to an https proxy, one of its own, which has nothing of the request's; nil trusts
    ///     nobody.
    ///   - whenRefused: told why, before the handshake fails.
    static func prepare(
        _ pointer: UnsafeMutableRawPointer, with setup: TLSSetup?, whenRefused: @escaping (NetworkingError) -> Void
    ) -> Bool {
        let context = OpaquePointer(pointer)
        // Nobody looks at what a server shows in a second handshake on the same connection.
        bluebonnet_forbid_renegotiation(context)
        // libcurl asks for its buffers to be given back whenever they are empty: twice a small response and request.
        bluebonnet_keep_buffers(context)
        // libcurl has set its own when the environment names a file.
        SSL_CTX_set_keylog_callback(context, nil)
        guard let setup else { return true }
        apply(setup, to: context)
        return place.attach(TLSContext(setup, whenRefused: whenRefused), to: context)
    }

    private static func apply(_ setup: TLSSetup, to context: OpaquePointer) {
        SSL_CTX_set1_cert_store(context, setup.authorities.store)
        // TLS 1.0 and 1.1 sign with SHA-1, which the levels above forbid.
        if setup.options.minimumVersion < .v12 { SSL_CTX_set_security_level(context, 0) }
        if setup.options.requiresStapledStatus { bluebonnet_ask_for_status(context, statusCallback) }
        if setup.keyLog != nil { SSL_CTX_set_keylog_callback(context, keyLogCallback) }
    }

    fileprivate static func of(_ connection: OpaquePointer?) -> TLSContext? {
        SSL_get_SSL_CTX(connection).flatMap(place.object)
    }

    fileprivate func checkStatus(_ connection: OpaquePointer) -> Bool {
        guard let reason = OCSPStaple.refusal(on: connection) else { return true }
        whenRefused(NetworkingError(.serverNotTrusted, reason, underlying: OpenSSLError.last))
        OpenSSLError.clear()  // libcurl would take what stays for an error of its own
        return false
    }
}

@available(*, unavailable)
extension TLSContext: Sendable {}

private let statusCallback: @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?) -> CInt = { connection, _ in
    guard let connection, let context = TLSContext.of(connection) else { return 0 }
    return context.checkStatus(connection) ? 1 : 0
}

private let keyLogCallback: @convention(c) (OpaquePointer?, UnsafePointer<CChar>?) -> Void = { connection, line in
    if let line { TLSContext.of(connection)?.setup.keyLog?.append(line) }
}
