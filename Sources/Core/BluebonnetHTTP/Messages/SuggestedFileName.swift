// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// Reduces the name that a response suggests for its body to a name that is safe in any folder: one visible path
/// component of at most 255 bytes. It accesses no file.
package enum SuggestedFileName {
    /// The name if no better name is suggested.
    package static let fallback = "download"

    /// The suffix of the names of partial files.
    package static let reservedSuffix = ".bluebonnet-partial"

    private static let byteLimit = 255

    /// Returns the name for a response: from `Content-Disposition`, otherwise the last component of the URL's path,
    /// otherwise the fallback.
    package static func name(for head: ResponseHead) -> String {
        let said = head.values(for: "Content-Disposition").lazy.compactMap { ContentDisposition($0)?.fileName }.first
        return said.flatMap(reduced) ?? reduced(lastComponent(of: head.url)) ?? fallback
    }

    private static func lastComponent(of url: URL) -> String {
        let path = URLText(url.absoluteString).path
        let last = path.split(separator: "/").last.map(String.init) ?? ""
        return last.removingPercentEncoding ?? last
    }

    /// Returns the safe form of a name; nil if nothing of the name is left.
    package static func reduced(_ text: String) -> String? {
        let visible = String(String.UnicodeScalarView(text.unicodeScalars.filter { !isInvisible($0) }))
        let parts = visible.unicodeScalars.split { $0 == "/" || $0 == "\\" }
        guard let last = parts.map({ trimmed(String($0)) }).last, !last.isEmpty else { return nil }
        let scalars = last.unicodeScalars.map { "<>:\"|?*".unicodeScalars.contains($0) ? "_" : $0 }
        // The names of partial files are reserved: a planted file could pass for the beginning of another download.
        var name = String(String.UnicodeScalarView(scalars))
            .replacingOccurrences(of: reservedSuffix, with: "_", options: [.caseInsensitive, .literal])
        if isDevice(name) { name = "_" + name }
        name = cut(name, toByteCount: byteLimit)
        return name.isEmpty ? nil : name
    }

    /// Returns the name with a number, `name (2).ext`, within the maximum length of a name.
    package static func numbered(_ name: String, _ number: Int) -> String {
        let (stem, suffix) = split(name)
        let ending = " (\(number))" + suffix
        return cutStem(stem, toByteCount: byteLimit - ending.utf8.count) + ending
    }

    /// Returns whether a character is a control, or a mark that changes how a name reads: directions, joiners, line
    /// ends.
    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned: true
        default: false
        }
    }

    /// Removes leading and trailing dots and spaces, which hide a name, name a folder, or are removed by Windows.
    private static func trimmed(_ text: String) -> String {
        let isTrimmed = { (scalar: Unicode.Scalar) in scalar == "." || scalar.properties.isWhitespace }
        let scalars = text.unicodeScalars.drop(while: isTrimmed)
        guard let last = scalars.lastIndex(where: { !isTrimmed($0) }) else { return "" }
        return String(scalars[...last])
    }

    /// Returns whether Windows reserves the name for a device, with any extension.
    private static func isDevice(_ name: String) -> Bool {
        let stem = name.prefix { $0 != "." }.uppercased().trimmingCharacters(in: .whitespaces)
        if ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"].contains(stem) { return true }
        let digits = "0123456789\u{B9}\u{B2}\u{B3}"
        return stem.count == 4 && ["COM", "LPT"].contains(stem.prefix(3)) && digits.contains(stem.suffix(1))
    }
}

// MARK: - Length

extension SuggestedFileName {
    /// Splits a name before its extension, so that cutting keeps the extension with its dot. A suffix of more than 20
    /// bytes is not an extension.
    private static func split(_ name: String) -> (stem: String, suffix: String) {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex, name[dot...].utf8.count <= 20 else {
            return (name, "")
        }
        return (String(name[..<dot]), String(name[dot...]))
    }

    private static func cut(_ name: String, toByteCount limit: Int) -> String {
        guard name.utf8.count > limit else { return name }
        let (stem, suffix) = split(name)
        return cutStem(stem, toByteCount: limit - suffix.utf8.count) + suffix
    }

    /// Cuts between characters, or inside a character that is longer than the maximum length.
    private static func cutStem(_ stem: String, toByteCount limit: Int) -> String {
        guard stem.utf8.count > limit else { return stem }
        var short = ""
        for character in stem {
            guard short.utf8.count + character.utf8.count <= limit else { break }
            short.append(character)
        }
        if short.isEmpty {
            for scalar in stem.unicodeScalars {
                guard short.utf8.count + UTF8.width(scalar) <= limit else { break }
                short.unicodeScalars.append(scalar)
            }
        }
        return trimmed(short)
    }
}
