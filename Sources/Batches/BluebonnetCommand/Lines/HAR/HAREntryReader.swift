// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
internal import BluebonnetBatch
import Foundation

/// Reads the request of one entry of a HAR file.
struct HAREntryReader {
    /// The fields that the client sets. Names of HTTP/2 begin with a colon.
    private static let ownNames: Set = [
        "accept-encoding", "connection", "content-length", "host", "keep-alive", "proxy-connection",
        "transfer-encoding",
        "upgrade",
    ]

    private let entry: JSONValue
    /// The number of the entry in the file, from 1.
    let number: Int
    private let line: Int
    /// The time of the request, in seconds since 1970.
    let date: Double

    /// - Parameter line: the number of the line in which the entry begins.
    init(_ entry: JSONValue, number: Int, line: Int) throws(ConversionError) {
        (self.entry, self.number, self.line) = (entry, number, line)
        guard let date = entry["startedDateTime"]?.string.flatMap(HARDate.seconds) else {
            throw ConversionError(line: line, "entry \(number): startedDateTime is not a time")
        }
        self.date = date
    }

    private func problem(_ message: String) -> ConversionError {
        ConversionError(line: line, "entry \(number): \(message)")
    }

    /// Returns the request line, with a warning for each part that the file does not have.
    func conversion() throws(ConversionError) -> Conversion {
        guard let request = entry["request"], let url = request["url"]?.string,
            let method = request["method"]?.string
        else { throw problem("there is no request with a method and a URL") }
        let scheme = URLText(url).scheme?.lowercased() ?? ""
        guard ["http", "https"].contains(scheme) else {
            return Conversion(texts: [], warnings: [problem("left out, because its URL is not http or https")])
        }
        var warnings: [ConversionError] = []
        var line = RequestLine(method: method, url: url)
        do throws(NetworkingError) {
            _ = try RequestCheck.url(url)
            try RequestCheck.method(method)
        } catch {
            throw problem(error.message)
        }
        if url.contains(Redaction.placeholder) { warnings.append(problem("the URL has a part that is REDACTED")) }
        line.headers = try headers(request, &warnings)
        try setBody(request, of: &line, &warnings)
        // The next hop has its own entry.
        if isFollowed { line.redirects = 0 }
        return try Conversion(literal: line, line: self.line, warnings: warnings)
    }

    /// Whether the response was a redirect.
    private var isFollowed: Bool {
        guard let status = entry["response"]?["status"]?.integer else { return false }
        return (300..<400).contains(status) && status != 304
    }

    private func headers(
        _ request: JSONValue, _ warnings: inout [ConversionError]
    ) throws(ConversionError) -> HeaderFields {
        var fields = HeaderFields()
        for member in request["headers"]?.array ?? [] {
            guard let name = member["name"]?.string, let value = member["value"]?.string else {
                throw problem("a header field has no name or no value")
            }
            if name.hasPrefix(":") || Self.ownNames.contains(name.lowercasedASCII) { continue }
            if value.contains(Redaction.placeholder) {
                warnings.append(problem("the header field \(name) is REDACTED, and left out"))
                continue
            }
            do throws(NetworkingError) {
                try RequestCheck.field(name: name, value: value)
            } catch {
                throw problem(error.message)
            }
            fields.add(name: name, value: value)
        }
        return HeaderFields(fields.combined)
    }
}

// MARK: - The body

extension HAREntryReader {
    private func setBody(
        _ request: JSONValue, of line: inout RequestLine, _ warnings: inout [ConversionError]
    ) throws(ConversionError) {
        guard let data = request["postData"] else {
            let count = request["bodySize"]?.integer ?? 0
            if count > 0 { warnings.append(problem("the body of \(count) bytes is not in the file, and left out")) }
            return
        }
        let type = line.headers["Content-Type"] ?? data["mimeType"]?.string ?? ""
        let parameters = data["params"]?.array ?? []
        let text = data["text"]?.string ?? ""
        if !parameters.isEmpty, Self.isType(type, "multipart/form-data"), try setParts(parameters, of: &line, text) {
            return
        }
        if !parameters.isEmpty, text.isEmpty {
            line.body = .form(try form(parameters))
            if Self.isType(type, BodyText.formType) { line.headers["Content-Type"] = nil }
            return
        }
        guard !text.isEmpty || !type.isEmpty else { return }
        BodyText(text, type: type.isEmpty ? "application/octet-stream" : type).apply(to: &line)
    }

    private static func isType(_ type: String, _ name: String) -> Bool {
        type.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercasedASCII == name
    }

    /// Sets the parts of a form. Returns false if the body is better sent as its text, with the boundary of its type.
    private func setParts(
        _ parameters: [JSONValue], of line: inout RequestLine, _ text: String
    ) throws(ConversionError) -> Bool {
        if let file = parameters.first(where: { $0["fileName"]?.string?.isEmpty == false }) {
            let name = JSONText.quoted(file["name"]?.string ?? "")
            throw problem("the part \(name) is a file, whose path is not in the file")
        }
        guard text.isEmpty else { return false }
        var parts: [RequestLine.Part] = []
        for (name, value) in try pairs(parameters) { parts.append(.init(name: name, content: .value(value))) }
        line.body = .multipart(parts)
        line.headers["Content-Type"] = nil
        return true
    }

    private func form(_ parameters: [JSONValue]) throws(ConversionError) -> JSONObject {
        var members = JSONObject()
        for (name, value) in try pairs(parameters) {
            guard members.updateValue(.string(value), forKey: name) == nil else {
                throw problem("two items of the form have the name \(JSONText.quoted(name))")
            }
        }
        return members
    }

    private func pairs(_ parameters: [JSONValue]) throws(ConversionError) -> [(name: String, value: String)] {
        var pairs: [(name: String, value: String)] = []
        for parameter in parameters {
            guard let name = parameter["name"]?.string else { throw problem("an item of the form has no name") }
            pairs.append((name, parameter["value"]?.string ?? ""))
        }
        return pairs
    }
}
