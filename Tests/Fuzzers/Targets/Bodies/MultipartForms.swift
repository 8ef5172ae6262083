// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import Foundation

extension FuzzTarget {
    /// A multipart form. The first line is the request's own `Content-Type`. Each part has a line with its name,
    /// whose first byte chooses its kind, a line with its file name, and a line with its content.
    static let multipartForms = FuzzTarget("multipart-forms") { input in
        var input = input
        let type = FieldBlock.text(input.line())
        var form = MultipartFormData()
        var parts: [FormPart] = []
        while !input.isEmpty, parts.count < 20 {
            let isFile = input.byte() & 1 == 1
            let (name, fileName, content) = (input.text(), input.text(), Data(input.line()))
            do {
                if isFile {
                    try form.append(content, name: name, fileName: fileName, contentType: "a/b")
                } else {
                    try form.append(content, name: name)
                }
            } catch {
                let refused = (isFile ? name + fileName : name).utf8
                try hold(refused.contains { $0 < 0x20 || $0 == 0x7F }, "\(name) is refused for a control character")
                continue
            }
            parts.append(FormPart(name: name, fileName: isFile ? fileName : nil, content: content))
        }
        try checkBody(form, parts)
        try checkType(form, type)
    }

    private static func checkBody(_ form: MultipartFormData, _ parts: [FormPart]) throws(FuzzFinding) {
        let whole = bytes(of: form.makeStream(), pieceByteCount: 4096)
        try holdSame(Int64(whole.count), form.byteCount, "the length of the body")
        try hold(bytes(of: form.makeStream(), pieceByteCount: 3) == whole, "the body in other pieces")
        guard !parts.isEmpty else { return }
        let read = FormPart.parts(of: whole, boundary: form.boundary)
        try holdSame(read?.count, parts.count, "the parts that are read")
        for (one, other) in zip(read ?? [], parts) { try one.check(isSentFor: other) }
    }

    private static func bytes(of stream: MultipartBodyStream, pieceByteCount: Int) -> Data {
        stream.open()
        defer { stream.close() }
        var (data, buffer) = (Data(), [UInt8](repeating: 0, count: pieceByteCount))
        while case let count = stream.read(&buffer, maxLength: pieceByteCount), count > 0 {
            data += buffer[..<count]
        }
        return data
    }

    /// The `Content-Type` that is sent names the boundary once, outside of any quoted string.
    private static func checkType(_ form: MultipartFormData, _ type: String) throws {
        guard let url = URL(string: "http://example.com/"), FieldSyntax.forbiddenByte(inValue: type.utf8) == nil else {
            return
        }
        var request = URLRequest(url: url)
        if !type.isEmpty { request.setValue(type, forHTTPHeaderField: "Content-Type") }
        guard (try? request.setBody(form)) != nil else { return }
        let sent = request.value(forHTTPHeaderField: "Content-Type") ?? ""
        var (pieces, isQuoted, isEscaped) = ([""], false, false)
        for scalar in sent.unicodeScalars {
            if !isQuoted, scalar == ";" {
                pieces.append("")
                continue
            }
            if scalar == "\"", !isEscaped { isQuoted.toggle() }
            isEscaped = isQuoted && scalar == "\\" && !isEscaped
            pieces[pieces.count - 1].unicodeScalars.append(scalar)
        }
        let boundaries = pieces.map { $0.trimmingCharacters(in: CharacterSet(charactersIn: " \t")) }
            .filter { $0.lowercased().hasPrefix("boundary") && !$0.lowercased().hasPrefix("boundaryx") }
        try hold(!isQuoted, "no quoted string of \(sent) is open")
        try hold(boundaries.contains("boundary=" + form.boundary), "\(sent) says the boundary")
        let others = boundaries.filter { $0.split(separator: "=").first?.lowercased() == "boundary" }
        try holdSame(others.count, 1, "the boundaries that \(sent) says")
    }
}

/// A part as a server reads it.
private struct FormPart {
    let name: String
    /// Nil if the part is not a file.
    let fileName: String?
    let content: Data

    /// The parts between the boundaries; nil if the body is malformed.
    static func parts(of body: Data, boundary: String) -> [FormPart]? {
        let text = [UInt8](Array("\r\n".utf8) + body)
        let mark = Array("\r\n--\(boundary)".utf8)
        var places: [Int] = []
        var index = 0
        while index + mark.count <= text.count {
            if text[index] == 0x0D, text[index..<index + mark.count].elementsEqual(mark) { places.append(index) }
            index += 1
        }
        guard let last = places.last, text[(last + mark.count)...].elementsEqual("--\r\n".utf8) else { return nil }
        var parts: [FormPart] = []
        for (start, end) in zip(places, places.dropFirst()) {
            guard let part = FormPart(Array(text[(start + mark.count)..<end])) else { return nil }
            parts.append(part)
        }
        return parts
    }

    init(name: String, fileName: String?, content: Data) {
        (self.name, self.fileName, self.content) = (name, fileName, content)
    }

    /// Parses CRLF, the head, an empty line and the content.
    private init?(_ bytes: [UInt8]) {
        guard let end = Data(bytes).range(of: Data("\r\n\r\n".utf8)) else { return nil }
        let head = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
        let lines = head.unicodeScalars.split { $0 == "\n" || $0 == "\r" }.map(String.init)
        guard let line = lines.first(where: { $0.utf8.starts(with: "Content-Disposition: form-data; name=\"".utf8) })
        else {
            return nil
        }
        let quoted = line.unicodeScalars.split(separator: "\"", omittingEmptySubsequences: false)
        guard quoted.count == 3 || quoted.count == 5 else { return nil }
        name = String(quoted[1])
        fileName = quoted.count == 5 ? String(quoted[3]) : nil
        content = Data(bytes[end.upperBound...])
        guard lines.count == (quoted.count == 5 ? 2 : 1) else { return nil }
    }

    func check(isSentFor given: FormPart) throws(FuzzFinding) {
        let expected = Self.escaped(given.name, hasNetworkLineEnds: true)
        try hold(FieldSyntax.isSameText(name, expected), "the name \(name) is sent for \(given.name)")
        try hold(content == given.content, "the content of \(name)")
        try holdSame(fileName == nil, given.fileName == nil, "\(name) is a file")
        guard let fileName, let expected = given.fileName.map({ Self.escaped($0, hasNetworkLineEnds: false) }) else {
            return
        }
        try hold(FieldSyntax.isSameText(fileName, expected), "the file name \(fileName) is sent for \(expected)")
    }

    /// A name as browsers write it. In field names, every line end becomes CRLF.
    private static func escaped(_ text: String, hasNetworkLineEnds: Bool) -> String {
        var (result, previous) = (String.UnicodeScalarView(), Unicode.Scalar(0))
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "%22".unicodeScalars
            case "\r": result += (hasNetworkLineEnds ? "%0D%0A" : "%0D").unicodeScalars
            case "\n" where !hasNetworkLineEnds: result += "%0A".unicodeScalars
            case "\n": result += (previous == "\r" ? "" : "%0D%0A").unicodeScalars
            default: result.append(scalar)
            }
            previous = scalar
        }
        return String(result)
    }
}
