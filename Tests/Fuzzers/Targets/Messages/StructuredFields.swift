// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetHTTP

extension FuzzTarget {
    /// Lines of a Structured Field.
    static let structuredFields = FuzzTarget("structured-fields") { input in
        let lines = input.lines.map { String(decoding: $0, as: UTF8.self) }
        let joined = [lines.joined(separator: ", ")]
        let list = StructuredField.list(lines)
        try hold(list == StructuredField.list(joined), "several lines are one list")
        let dictionary = StructuredField.dictionary(lines)
        try hold(dictionary == StructuredField.dictionary(joined), "several lines are one dictionary")
        if list != nil { try hold(StructuredField.list([" " + joined[0] + " "]) == list, "spaces are ignored") }
        try checkDirectives(lines)
        guard let strings = StructuredField.strings(lines) else { return }
        let written = strings.compactMap(StructuredField.text(ofString:))
        try hold(StructuredField.strings(written) == strings, "written strings are read again")
    }

    /// The same lines as `Cache-Control`: nothing takes a restriction away.
    private static func checkDirectives(_ lines: [String]) throws {
        let directives = CacheDirectives(lines + ["no-store, no-cache, must-revalidate"])
        try hold(directives.noStore && directives.noCache && directives.mustRevalidate, "restrictions count")
        for seconds in [directives.maxAge, directives.staleIfError, directives.staleWhileRevalidate] {
            try hold((0...CacheDirectives.maximumSeconds).contains(seconds ?? 0), "the number of seconds is limited")
        }
    }
}
