// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Makes the `Content-Type` of a multipart body from the caller's value and the boundary of the form. Pure text.
enum MultipartContentType {
    /// Returns the caller's value with this boundary in place of any other boundary. Returns nil if the type is not
    /// `multipart/…`, or if a quoted string is not closed, because the boundary would become a part of that string.
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

    /// Returns the text between the semicolons outside of quoted strings; nil if a quoted string is not closed.
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
