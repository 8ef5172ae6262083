// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetBatch

/// Converts the options of curl about certificates.
enum CurlTrust {
    /// Returns the settings after applying an option.
    static func applying(
        _ item: CurlArguments.Item, to security: RequestLine.Security
    ) throws(ConversionError) -> RequestLine.Security {
        var security = security
        switch item.option {
        case .insecure: (security.allowInvalidCertificates, security.validatesHost) = (true, false)
        case .cacert: security.ca = item.value
        case .cert: security.clientCertificate = try certificate(item)
        case .key: security.clientKey = item.value
        default:
            guard ["PEM", "DER"].contains(item.value.uppercased()) else {
                throw item.error("a line has certificates and keys in PEM or DER, not in \(item.value)")
            }
        }
        return security
    }

    /// Returns the path of `--cert`, in which `\:` and `\\` are escapes. A colon begins the password.
    private static func certificate(_ item: CurlArguments.Item) throws(ConversionError) -> String {
        var (path, rest) = ([UInt8](), Array(item.value.utf8)[...])
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\\"), let next = rest.first, ":\\".utf8.contains(next) {
                path.append(next)
                rest = rest.dropFirst()
            } else if byte == UInt8(ascii: ":") {
                throw item.error("a line has keys without a password: openssl pkey makes one")
            } else {
                path.append(byte)
            }
        }
        return String(decoding: path, as: UTF8.self)
    }
}
