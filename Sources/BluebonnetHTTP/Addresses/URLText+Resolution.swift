// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

// What a relative URL means beside a base (RFC 3986, 5.2). Foundation's resolution removes dot segments from paths that
// are to stay as they are, and does not see those whose dots are escaped.
extension URLText {
    /// The absolute URL that this text means, read from a base.
    ///
    /// Dot segments stay in a path that begins with a slash; a path that goes on from the base's has none afterwards.
    package func resolved(from base: URLText) -> String {
        let start = scheme.map { $0 + ":" } ?? base.scheme.map { $0 + ":" } ?? ""
        if scheme != nil || authority != nil { return start + (authority.map { "//" + $0 } ?? "") + remainder }
        return start + (base.authority.map { "//" + $0 } ?? "") + target(from: base)
    }

    /// Path, query and fragment.
    private func target(from base: URLText) -> String {
        if path.utf8.first == UInt8(ascii: "/") { return String(remainder) }
        if !path.isEmpty {
            return Self.removingDotSegments(fromPath: folder(of: base) + path) + remainder[path.endIndex...]
        }
        if remainder.utf8.first == UInt8(ascii: "?") { return String(base.path + remainder) }
        return String(base.remainder.prefix { $0 != "#" } + remainder)
    }

    /// A base's path up to its last slash.
    private func folder(of base: URLText) -> Substring {
        guard let slash = base.path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "/" }
        return base.path[...slash]
    }
}
