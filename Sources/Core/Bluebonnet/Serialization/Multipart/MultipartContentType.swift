// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The `Content-Type` of a multipart body: a caller's own with the boundary of the form. Pure text.
enum MultipartContentType {
    /// A caller's value with this boundary in the place of any other; nil when its type is not `multipart/…`,
    /// and when a quote in it is not closed: the boundary would be a part of the quoted string.
    static func text(_ value: String, boundary: String) -> String? {
        let pieces = pieces(of: value)?.map { Substring(FieldSyntax.trimmed($0.utf8)) }
        guard let pieces, let type = pieces.first, isMultipart(type) else { return nil }
        let parameters = pieces.dropFirst().filter { !$0.isEmpty && !isBoundary($0) }
        return ([type] + parameters + ["boundary=" + boundary]).joined(separator: "; ")
    }

    private static func isMultipart(_ type: Substring) -> Bool {
        let words = type.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        return words.count == 2 && isName(words[0], "multipart") && FieldSyntax.isToken(words[1])
    }

    private static func isBoundary(_ parameter: Substring) -> Bool {
        isName(FieldSyntax.trimmed(parameter.utf8.prefix { $0 != UInt8(ascii: "=") }), "boundary")
    }

    private static func isName(_ bytes: Substring.UTF8View, _ name: String) -> Bool {
        FieldSyntax.isSameName(String(Substring(bytes)), name)
    }

    /// What stands between the semicolons that are not inside of a quoted string; nil when such a string has no end.
    private static func pieces(of value: String) -> [Substring]? {
        var (isQuoted, isEscaped) = (false, false)
        let pieces = value.utf8.split(omittingEmptySubsequences: false) { byte in
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\"") {
                isQuoted.toggle()
            } else {
                isEscaped = isQuoted && byte == UInt8(ascii: "\\")
            }
            return !isQuoted && byte == UInt8(ascii: ";")
        }
        return isQuoted ? nil : pieces.map { Substring($0) }
    }
}
