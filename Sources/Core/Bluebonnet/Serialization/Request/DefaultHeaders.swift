// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation

/// The default headers that describe the program and the user's languages. Pure text, made once.
enum DefaultHeaders {
    /// `User-Agent` of this process, and `Accept-Language` if the environment sets a language.
    static let ofThisProcess: HeaderFields = {
        var headers = HeaderFields()
        headers["Accept-Language"] = acceptLanguage(languages(of: ProcessInfo.processInfo.environment))
        let bundle = Bundle.main
        let version = ["CFBundleShortVersionString", "CFBundleVersion"].lazy
            .compactMap { bundle.infoDictionary?[$0] as? String }.first
        headers["User-Agent"] = userAgent(product: ProcessInfo.processInfo.processName, version: version)
        return headers
    }()

    /// Returns the languages of an environment, in order, by the rules of gettext. The locales `C` and `POSIX`, the
    /// default of server processes, have no language.
    static func languages(of environment: [String: String]) -> [String] {
        let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
        guard let locale, let language = language(of: locale) else { return [] }
        let listed = (environment["LANGUAGE"] ?? "").split(separator: ":").compactMap(Self.language)
        return listed.isEmpty ? [language] : listed
    }

    /// Returns `de-CH` for `de_CH.UTF-8@euro`; nil for `C` and `POSIX`.
    private static func language(of locale: some StringProtocol) -> String? {
        let name = String(locale.prefix { $0 != "." && $0 != "@" })
        return ["", "C", "POSIX"].contains(name) ? nil : name.replacingOccurrences(of: "_", with: "-")
    }

    /// Returns at most six languages in order, with weights from 1 down to 0.5; nil without languages.
    static func acceptLanguage(_ languages: [String]) -> String? {
        let weights = ["1", "0.9", "0.8", "0.7", "0.6", "0.5"]
        let usable = languages.filter { $0.utf8.allSatisfy(FieldSyntax.isTokenByte) && !$0.isEmpty }
        guard !usable.isEmpty else { return nil }
        return zip(usable, weights).map { "\($0);q=\($1)" }.joined(separator: ", ")
    }

    /// Returns `Product/Version Bluebonnet/Version (Linux; Swift)`, always in ASCII. The first part is the program's
    /// name, with its version if known. The library's own command has no first part.
    static func userAgent(product: String, version: String?) -> String {
        let library = "/\(LibraryVersion.text) (Linux; Swift)"
        guard let name = token(product) else { return "Bluebonnet" + library }
        if name.lowercased() == "bluebonnet" { return name + library }
        return name + (version.flatMap(token).map { "/" + $0 } ?? "") + " Bluebonnet" + library
    }

    /// Returns the text as a token: other scripts transliterated to Latin letters, other invalid characters replaced by
    /// hyphens.
    private static func token(_ text: String) -> String? {
        let name = String(inLatinLetters(text).unicodeScalars.lazy.filter(\.isASCII).map(Character.init))
        guard name.utf8.contains(where: FieldSyntax.isTokenByte) else { return nil }
        return String(decoding: name.utf8.map { FieldSyntax.isTokenByte($0) ? $0 : UInt8(ascii: "-") }, as: UTF8.self)
    }

    /// Skips the transformation for ASCII text: creating it takes 10 ms, which would delay every program's first
    /// request.
    private static func inLatinLetters(_ text: String) -> String {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text }
        return text.applyingTransform(StringTransform("Any-Latin; Latin-ASCII"), reverse: false) ?? text
    }
}
