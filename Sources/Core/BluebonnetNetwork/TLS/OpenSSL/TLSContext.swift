// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import COpenSSL

/// Sets the options of libcurl's `SSL_CTX` that libcurl has no options for. Network thread only; the object lives as
/// long as the `SSL_CTX`. It does not depend on transfers, and does not evaluate certificates.
final class TLSContext {
    private static let place = AttachedObject<TLSContext>(to: .context)

    fileprivate let setup: TLSSetup
    private let whenRefused: (NetworkingError) -> Void

    private init(_ setup: TLSSetup, whenRefused: @escaping (NetworkingError) -> Void) {
        self.setup = setup
        self.whenRefused = whenRefused
    }

    /// Prepares the context of a connection. Returns false if OpenSSL cannot attach the object.
    ///
    /// - Parameters:
    ///   - setup: the setup; for a connection to an https proxy, a separate setup without the request's options. With
    ///     nil, no server is trusted.
    ///   - whenRefused: called with the reason before the handshake fails.
    static func prepare(
        _ pointer: UnsafeMutableRawPointer, with setup: TLSSetup?, whenRefused: @escaping (NetworkingError) -> Void
    ) -> Bool {
        let context = OpaquePointer(pointer)
        // No code would check what a server presents in a second handshake on the same connection.
        bluebonnet_forbid_renegotiation(context)
        // libcurl lets OpenSSL release its buffers whenever they are empty: twice for each small response and request.
        bluebonnet_keep_buffers(context)
        // libcurl has set its own callback if the environment names a file.
        SSL_CTX_set_keylog_callback(context, nil)
        guard let setup else { return true }
        apply(setup, to: context)
        return place.attach(TLSContext(setup, whenRefused: whenRefused), to: context)
    }

    private static func apply(_ setup: TLSSetup, to context: OpaquePointer) {
        SSL_CTX_set1_cert_store(context, setup.authorities.store)
        // TLS 1.0 and 1.1 sign with SHA-1, which higher levels forbid.
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
        OpenSSLError.clear()  // libcurl would treat remaining errors as its own
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
