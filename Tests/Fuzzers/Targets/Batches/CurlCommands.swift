// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetHTTP
import Foundation
import FoundationNetworking

extension FuzzTarget {
    /// The `curl` command of a request. The input has a line with the URL, a line with the method, lines with fields,
    /// an empty line, and the body. A shell must read the command as plain words.
    static let curlCommands = FuzzTarget("curl-commands") { input in
        var input = input
        guard let url = try? RequestCheck.url(input.text()) else { return }
        var request = URLRequest(url: url)
        let method = input.text()
        if (try? RequestCheck.method(method)) != nil { request.httpMethod = method }
        while case let line = input.line(), !line.isEmpty {
            var block = FieldBlock()
            guard (try? line.withUnsafeBytes { try block.append($0) }) != nil, block.count == 1 else { continue }
            let field = block.field(at: 0)
            guard (try? RequestCheck.field(name: field.name, value: field.value)) != nil else { continue }
            request.setValue(field.value, forHTTPHeaderField: field.name)
        }
        if !input.isEmpty { request.httpBody = Data(input.rest) }
        for isWhole in [true, false] {
            let text = request.curlCommand(includingSecrets: isWhole)
            guard let words = ShellWords.words(of: text) else {
                throw FuzzFinding("a shell reads more than words: \(text)")
            }
            let programs = words.filter { $0 == "|" || $0 == "curl" }
            try hold(programs.contains("curl"), "\(text) runs curl")
            let sent = (DotSegments.removed(from: url) ?? url).absoluteString.prefix { $0 != "#" }
            try hold(!isWhole || words.last.map { $0 == sent } == true, "\(text) ends in the URL")
        }
    }
}

/// Splits a command line as a POSIX shell does.
private enum ShellWords {
    /// The words; nil if a shell would run or expand something.
    static func words(of text: String) -> [String]? {
        var (words, word, rest) = ([String](), String.UnicodeScalarView?.none, text.unicodeScalars[...])
        func end() {
            if let ended = word { words.append(String(ended)) }
            word = nil
        }
        while let scalar = rest.popFirst() {
            switch scalar {
            case "'":
                let quoted = rest.prefix { $0 != "'" }
                rest = rest.dropFirst(quoted.count)
                guard rest.popFirst() != nil else { return nil }
                word = (word ?? .init()) + quoted
            case "\\":
                guard let next = rest.popFirst() else { return nil }
                if next != "\n" { word = (word ?? .init()) + [next] }
            case " ", "\n": end()
            case "|":
                end()
                words.append("|")
            case "#" where word == nil: rest = rest.drop { $0 != "\n" }
            case "$", "`", "\"", "&", ";", "<", ">", "(", ")", "*", "?", "[", "~", "!", "{", "}":
                return nil
            default: word = (word ?? .init()) + [scalar]
            }
        }
        end()
        return words
    }
}
