// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import COpenSSL

/// Reads OpenSSL's stacks, whose typed functions are macros that Swift cannot import.
enum CertificateStack {
    /// Returns the elements of a stack, which still owns them.
    static func elements(of stack: OpaquePointer?) -> [OpaquePointer] {
        guard let stack else { return [] }
        return (0..<max(0, OPENSSL_sk_num(stack))).compactMap { OPENSSL_sk_value(stack, $0).map { OpaquePointer($0) } }
    }
}
