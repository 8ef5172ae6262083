// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import RealServers
import Testing

@testable import Bluebonnet

@Suite struct MultipartFormDataTests {
    /// All bytes of a stream.
    static func read(_ stream: InputStream, pieces: Int = 4096) throws -> Data {
        var data = Data()
        var buffer = [UInt8](repeating: 0, count: pieces)
        stream.open()
        defer { stream.close() }
        while true {
            let count = stream.read(&buffer, maxLength: pieces)
            if count < 0 { throw try #require(stream.streamError) }
            if count == 0 { return data }
            data += buffer[..<count]
        }
    }

    private func text(_ form: MultipartFormData) throws -> String {
        let data = try Self.read(form.makeStream())
        #expect(Int64(data.count) == form.byteCount)
        return String(decoding: data, as: UTF8.self).replacingOccurrences(of: form.boundary, with: "B")
    }

    @Test func boundaryHas128RandomBitsAndFitsTheLimit() {
        let boundaries = (0..<100).map { _ in MultipartFormData().boundary }
        #expect(Set(boundaries).count == 100)
        #expect(boundaries.allSatisfy { $0.wholeMatch(of: /Boundary-[0-9A-F]{32}/) != nil })
        // RFC 2046, 5.1.1: 70 characters at most.
        #expect(boundaries.allSatisfy { $0.utf8.count <= 70 })
    }

    @Test func procFileIsAPartWithItsText() throws {
        var form = MultipartFormData()
        try form.append(fileAt: URL(fileURLWithPath: "/proc/self/comm"), name: "f")
        let comm = try String(contentsOfFile: "/proc/self/comm", encoding: .utf8)
        let written = try text(form)
        #expect(!comm.isEmpty && written.contains("\r\n\r\n\(comm)\r\n"))
    }

    @Test func formIsWrittenAsInRFC7578() throws {
        var form = MultipartFormData()
        try form.append("value", name: "field")
        try form.append(Data("{}".utf8), name: "upload", fileName: "a.json", contentType: "application/json")
        try form.append(headers: ["X-Own": "yes"], body: Data("own".utf8))
        let expected = """
            --B\r
            Content-Disposition: form-data; name="field"\r
            \r
            value\r
            --B\r
            Content-Disposition: form-data; name="upload"; filename="a.json"\r
            Content-Type: application/json\r
            \r
            {}\r
            --B\r
            X-Own: yes\r
            \r
            own\r
            --B--\r

            """
        #expect(try text(form) == expected)
        #expect(form.contentType == "multipart/form-data; boundary=\(form.boundary)")
    }

    @Test func formWithoutPartsHasOnlyTheClosingBoundary() throws {
        #expect(try text(MultipartFormData()) == "--B--\r\n")
        #expect(MultipartFormData().isEmpty)
    }

    @Test func namesCannotLeaveTheirQuotes() throws {
        var form = MultipartFormData()
        try form.append(Data(), name: "a\"\nb", fileName: "c\"\r\nX-Evil: d", contentType: "text/plain")
        let head = try text(form)
        #expect(head.contains(#"form-data; name="a%22%0D%0Ab"; filename="c%22%0D%0AX-Evil: d""# + "\r\n"))
    }

    static let controls: [(UInt8, String)] = [
        (0x00, "a NUL"), (0x01, "the control character 0x01"), (0x08, "the control character 0x08"),
        (0x0B, "the control character 0x0B"), (0x1B, "the control character 0x1B"),
        (0x7F, "the control character 0x7F"),
    ]

    @Test(arguments: controls)
    func controlCharacterInANameIsRefused(byte: UInt8, fault: String) throws {
        let folder = try ScratchFolder()
        try folder.write("pixels", to: "picture.png")
        let control = Character(UnicodeScalar(byte))
        for text in ["\(control)", "\(control)ab", "a\(control)b", "ab\(control)"] {
            var form = MultipartFormData()
            let names: [(inout MultipartFormData) throws -> Void] = [
                { try $0.append("value", name: text) }, { try $0.append(Data(), name: text) },
                { try $0.append(Data(), name: text, fileName: "f") },
                { try $0.append(fileAt: folder.file("picture.png"), name: text) },
                { try $0.append(InputStream(data: Data()), byteCount: 0, name: text, fileName: "f") },
                { try $0.append(byteCount: 0, name: text, fileName: "f") { nil } },
                { try $0.append([text: "value"] as Parameters) },
            ]
            let shown = text.replacingOccurrences(of: String(control), with: "�")
            for append in names {
                let error = #expect(throws: NetworkingError.self) { try append(&form) }
                #expect(error?.message == "the name of the part \"\(shown)\" contains \(fault)")
                #expect(error?.code == .invalidRequest)
            }
            let fileNames: [(inout MultipartFormData) throws -> Void] = [
                { try $0.append(Data(), name: "part", fileName: text) },
                { try $0.append(fileAt: folder.file("picture.png"), name: "part", fileName: text) },
                { try $0.append(InputStream(data: Data()), byteCount: 0, name: "part", fileName: text) },
                { try $0.append(byteCount: 0, name: "part", fileName: text) { nil } },
            ]
            for append in fileNames {
                let error = #expect(throws: NetworkingError.self) { try append(&form) }
                #expect(error?.message == "the file name of the part \"part\" contains \(fault)")
            }
            #expect(form.isEmpty)
        }
    }

    @Test func tabInANameIsSent() throws {
        var form = MultipartFormData()
        try form.append(Data(), name: "a\tb", fileName: "c\td", contentType: "text/plain")
        #expect(try text(form).contains("form-data; name=\"a\tb\"; filename=\"c\td\"\r\n"))
    }

    @Test func headersOfPartsCannotBeInjected() {
        var form = MultipartFormData()
        let type = #expect(throws: NetworkingError.self) {
            try form.append(Data(), name: "a", fileName: "b", contentType: "text/plain\r\nX-Evil: c")
        }
        let own = #expect(throws: NetworkingError.self) { try form.append(headers: ["X": "a\nb"], body: Data()) }
        #expect([type?.code, own?.code] == [.invalidRequest, .invalidRequest])
        #expect(form.isEmpty)
    }

    @Test func fileNameAndTypeDefaultToTheFilesOwn() throws {
        let folder = try ScratchFolder()
        try folder.write("pixels", to: "picture.PNG")
        var form = MultipartFormData()
        try form.append(fileAt: folder.file("picture.PNG"), name: "a")
        try form.append(fileAt: folder.file("picture.PNG"), name: "b", fileName: "x.bin", contentType: "x/y")
        let written = try text(form)
        #expect(written.contains("name=\"a\"; filename=\"picture.PNG\"\r\nContent-Type: image/png\r\n\r\npixels\r\n"))
        #expect(written.contains("name=\"b\"; filename=\"x.bin\"\r\nContent-Type: x/y\r\n\r\npixels\r\n"))
    }

    @Test func pathThatIsNotAFileAddsNothing() throws {
        let folder = try ScratchFolder()
        var form = MultipartFormData()
        for url in [folder.url, folder.file("missing"), URL(string: "http://h/a")] {
            let error = #expect(throws: NetworkingError.self) { try form.append(fileAt: #require(url), name: "a") }
            #expect(error?.code == .cannotReadFile)
        }
        #expect(form.isEmpty)
    }

    @Test func parametersBecomeFieldsWithUnescapedNames() throws {
        let request = try HTTPRequestSerializer().multipartRequest(
            url: #require(URL(string: "http://h/")),
            parameters: ["b": ["x y": [1, true] as [any Sendable]], "a": Data([0x41]), "n": NSNull(), "s": "é"]
        ) { _ in }
        let body = try Self.read(#require(request.httpBodyStream))
        let fields = String(decoding: body, as: UTF8.self).components(separatedBy: "form-data; ").dropFirst()
        let starts = fields.map { $0.components(separatedBy: "\r\n--")[0] }
        #expect(
            starts == [
                "name=\"a\"\r\n\r\nA", "name=\"b[x y][]\"\r\n\r\n1", "name=\"b[x y][]\"\r\n\r\n1", "name=\"n\"\r\n\r\n",
                "name=\"s\"\r\n\r\né",
            ])
    }

    @Test func requestHasTheStreamWithItsTypeAndLength() throws {
        let serializer = HTTPRequestSerializer()
        let request = try serializer.multipartRequest(method: "PUT", url: #require(URL(string: "http://h/"))) { form in
            try form.append("value", name: "field")
        }
        let stream = try #require(request.httpBodyStream as? MultipartBodyStream)
        #expect(request.httpMethod == "PUT")
        #expect(request.value(forHTTPHeaderField: "Content-Length") == String(stream.byteCount))
        #expect(request.value(forHTTPHeaderField: "Content-Type")?.hasPrefix("multipart/form-data; boundary=") == true)
        #expect(request.value(forHTTPHeaderField: "User-Agent") == serializer.headers["User-Agent"])
    }

    @Test func formWithoutPartsMakesAnOrdinaryRequest() throws {
        let url = try #require(URL(string: "http://h/"))
        let request = try HTTPRequestSerializer().multipartRequest(url: url, parameters: [:]) { _ in }
        #expect(request.httpBodyStream == nil)
        #expect(request.value(forHTTPHeaderField: "Content-Type") == "application/x-www-form-urlencoded")
        #expect(request.value(forHTTPHeaderField: "Content-Length") == nil)
    }

    @Test(arguments: ["GET", "head"])
    func methodsWithoutBodyAreRefused(method: String) throws {
        let url = try #require(URL(string: "http://h/"))
        let error = #expect(throws: NetworkingError.self) {
            try HTTPRequestSerializer().multipartRequest(method: method, url: url) {
                try $0.append("a", name: "b")
            }
        }
        #expect(error?.code == .invalidRequest)
    }

    @Test func unencodableParameterIsNamed() throws {
        let url = try #require(URL(string: "http://h/"))
        let error = #expect(throws: NetworkingError.self) {
            try HTTPRequestSerializer().multipartRequest(url: url, parameters: ["a": ["b": Date()]]) { _ in }
        }
        #expect(error?.message.hasPrefix("parameter a.b cannot be encoded") == true)
    }
}

// MARK: - Other parsers

@Suite(.enabled(if: MultipartParser.isAvailable)) struct MultipartParserTests {
    @Test(arguments: MultipartParser.allCases)
    func parserFindsTheOriginalParts(parser: MultipartParser) throws {
        let folder = try ScratchFolder()
        let noise = Data.patterned(byteCount: 100_000)
        try noise.write(to: folder.file("noise.bin"))
        var form = MultipartFormData()
        try form.append("line\r\nline\n--\(form.boundary.dropLast())", name: "text \u{1F408}")
        try form.append(fileAt: folder.file("noise.bin"), name: "file", fileName: "a\"b.bin")
        try form.append(InputStream(data: noise), byteCount: 100_000, name: "stream", fileName: "s", contentType: "x/y")
        try form.append(Data(), name: "empty", fileName: "", contentType: "x/z")
        let parts = try parser.parts(
            of: MultipartFormDataTests.read(form.makeStream()), contentType: form.contentType)
        #expect(
            parts.map { $0.headers["content-disposition"] } == [
                "form-data; name=\"text \u{1F408}\"", "form-data; name=\"file\"; filename=\"a%22b.bin\"",
                "form-data; name=\"stream\"; filename=\"s\"", "form-data; name=\"empty\"; filename=\"\"",
            ])
        #expect(parts.map { $0.headers["content-type"] } == [nil, "application/octet-stream", "x/y", "x/z"])
        let text = Data("line\r\nline\n--\(form.boundary.dropLast())".utf8)
        #expect(parts.map(\.body) == [text, noise, noise, Data()])
    }

    @Test(arguments: MultipartParser.allCases)
    func parserReadsManyParts(parser: MultipartParser) throws {
        let numbers = (0..<100).map(String.init)
        var form = MultipartFormData()
        for number in numbers { try form.append(number, name: "n") }
        let parts = try parser.parts(
            of: MultipartFormDataTests.read(form.makeStream(), pieces: 7), contentType: form.contentType)
        #expect(parts.map { String(decoding: $0.body, as: UTF8.self) } == numbers)
    }
}
