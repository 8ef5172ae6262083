// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// The name that a response suggests for its body, reduced to something that is safe to be a file's name in any folder:
/// one path component, visible, of at most 255 bytes. It touches no file.
package enum SuggestedFileName {
    /// The name when nothing suggests a better one.
    package static let fallback = "download"

    /// What the names of partial files end in.
    package static let reservedSuffix = ".bluebonnet-partial"

    private static let byteLimit = 255

    /// The name for a response: what `Content-Disposition` says, else the last component of the URL's path.
    package static func name(for head: ResponseHead) -> String {
        let said = head.values(for: "Content-Disposition").lazy.compactMap { ContentDisposition($0)?.fileName }.first
        return said.flatMap(reduced) ?? reduced(lastComponent(of: head.url)) ?? fallback
    }

    private static func lastComponent(of url: URL) -> String {
        let path = URLText(url.absoluteString).path
        let last = path.split(separator: "/").last.map(String.init) ?? ""
        return last.removingPercentEncoding ?? last
    }

    /// The safe form of a name; nil when nothing of it is left.
    package static func reduced(_ text: String) -> String? {
        let visible = String(String.UnicodeScalarView(text.unicodeScalars.filter { !isInvisible($0) }))
        let parts = visible.unicodeScalars.split { $0 == "/" || $0 == "\\" }
        guard let last = parts.map({ trimmed(String($0)) }).last, !last.isEmpty else { return nil }
        let scalars = last.unicodeScalars.map { "<>:\"|?*".unicodeScalars.contains($0) ? "_" : $0 }
        // The names of partial files are ours: one that is planted could pass for the beginning of another download.
        var name = String(String.UnicodeScalarView(scalars))
            .replacingOccurrences(of: reservedSuffix, with: "_", options: [.caseInsensitive, .literal])
        if isDevice(name) { name = "_" + name }
        name = cut(name, toByteCount: byteLimit)
        return name.isEmpty ? nil : name
    }

    /// The name with a number, `name (2).ext`, no longer than a name may be.
    package static func numbered(_ name: String, _ number: Int) -> String {
        let (stem, suffix) = split(name)
        let ending = " (\(number))" + suffix
        return cutStem(stem, toByteCount: byteLimit - ending.utf8.count) + ending
    }

    /// Controls, and marks that change how a name reads: directions, joiners, line ends.
    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned: true
        default: false
        }
    }

    /// Without the dots and spaces that hide a name, name a folder, or that Windows takes off by itself.
    private static func trimmed(_ text: String) -> String {
        let isTrimmed = { (scalar: Unicode.Scalar) in scalar == "." || scalar.properties.isWhitespace }
        let scalars = text.unicodeScalars.drop(while: isTrimmed)
        guard let last = scalars.lastIndex(where: { !isTrimmed($0) }) else { return "" }
        return String(scalars[...last])
    }

    /// The names that Windows keeps for devices, with any extension.
    private static func isDevice(_ name: String) -> Bool {
        let stem = name.prefix { $0 != "." }.uppercased().trimmingCharacters(in: .whitespaces)
        if ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"].contains(stem) { return true }
        let digits = "0123456789\u{B9}\u{B2}\u{B3}"
        return stem.count == 4 && ["COM", "LPT"].contains(stem.prefix(3)) && digits.contains(stem.suffix(1))
    }
}

// MARK: - Length

extension SuggestedFileName {
    /// The extension with its dot is worth keeping, unless it is none.
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

    /// Cuts between characters; inside one only when it is longer than a name may be.
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
