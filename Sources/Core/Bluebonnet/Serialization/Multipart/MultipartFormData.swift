// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation

/// The parts of a `multipart/form-data` body (RFC 7578), in the order in which they are sent.
///
/// ```swift
/// let request = try serializer.multipartRequest(url: url, parameters: ["album": "Lisbon"]) { form in
///     try form.append(fileAt: picture, name: "photo")
/// }
/// ```
///
/// Files and streams are read while the body is sent, and never kept in memory. Names and file names are written as a
/// browser writes them (WHATWG, multipart form data): `"`, carriage return and line feed percent-escaped, other text as
/// UTF-8. Control characters other than the tab are rejected. A value belongs to one thread.
public struct MultipartFormData {
    /// The limit for the rate at which a body is produced.
    struct Throttle: Sendable {
        let packetByteCount: Int
        let delay: TimeInterval
    }

    /// A packet size for a slow mobile network: 16 KiB.
    public static let suggestedPacketByteCount = 16 * 1024
    /// A delay for the suggested packet size: 0.2 s, about 80 KiB per second.
    public static let suggestedDelay = Duration.milliseconds(200)

    /// The text that separates the parts: `Boundary-` and 128 random bits, different for each form.
    public let boundary: String
    private(set) var parts: [MultipartPart] = []
    private(set) var throttle: Throttle?

    /// Makes a form without parts.
    public init() {
        var generator = SystemRandomNumberGenerator()
        let digits = (0..<2).map { _ in
            let number = String(generator.next() as UInt64, radix: 16, uppercase: true)
            return String(repeating: "0", count: 16 - number.count) + number
        }
        boundary = "Boundary-" + digits.joined()
    }

    /// Whether the form has no parts.
    public var isEmpty: Bool { parts.isEmpty }

    /// The value of `Content-Type` for the body.
    public var contentType: String { "multipart/form-data; boundary=\(boundary)" }

    /// The exact length of the body, with the boundaries and the headers of the parts.
    public var byteCount: Int64 { MultipartBody(self).byteCount }

    /// Makes a stream of the body. A stream can be read once, and each call makes a new stream.
    public func makeStream() -> MultipartBodyStream { MultipartBodyStream(MultipartBody(self)) }

    /// Writes the body to a file. Replaces an existing file, and removes the file after an error.
    ///
    /// The method blocks while it reads and writes.
    /// - Throws: `NetworkingError` with `cannotReadFile`, `cannotOpenFile` or `cannotWriteFile`.
    public func write(to file: URL) throws(NetworkingError) {
        try BodyFile.write(makeStream(), to: file)
    }
}

// MARK: - Adding parts

extension MultipartFormData {
    /// Adds a field with text or data, without a file name or a content type.
    ///
    /// - Throws: `NetworkingError` with `invalidRequest` if the name contains a NUL or another control character.
    public mutating func append(_ data: Data, name: String) throws(NetworkingError) {
        add(.data(data), [(Self.dispositionName, try disposition(name))], name)
    }

    /// Adds a field with text, as UTF-8.
    ///
    /// - Throws: `NetworkingError` with `invalidRequest` if the name contains a NUL or another control character.
    public mutating func append(_ text: String, name: String) throws(NetworkingError) {
        try append(Data(text.utf8), name: name)
    }

    /// Adds data as a file.
    ///
    /// - Parameters:
    ///   - data: the content.
    ///   - name: the name of the form's field.
    ///   - fileName: the file's name for the server.
    ///   - contentType: nil looks up the file name's extension in the system's table.
    /// - Throws: `NetworkingError` with `invalidRequest` if the content type or a name contains a control character.
    public mutating func append(
        _ data: Data, name: String, fileName: String, contentType: String? = nil
    ) throws(NetworkingError) {
        add(.data(data), try fileHeaders(name, fileName, contentType), name)
    }

    /// Adds a file. The file is read when it is sent; its size is recorded now. A file that reports a meaningless size,
    /// as in `/proc` and `/sys`, is read now.
    ///
    /// A file that is missing or has another size when it is sent is an error of the request; the error names the
    /// file's path.
    ///
    /// - Parameters:
    ///   - url: the file.
    ///   - name: the name of the form's field.
    ///   - fileName: the file's name for the server; nil uses the name of the file itself.
    ///   - contentType: nil looks up the extension of `url` in the system's table.
    /// - Throws: `NetworkingError` with `cannotReadFile` if the URL is not a readable regular file; with
    ///   `invalidRequest` if the content type or a name contains a control character. The form is then unchanged.
    public mutating func append(
        fileAt url: URL, name: String, fileName: String? = nil, contentType: String? = nil
    ) throws(NetworkingError) {
        guard url.isFileURL, !url.path.utf8.contains(0) else {
            throw NetworkingError(.cannotReadFile, "\(url) is not a file URL")
        }
        let file = try UploadFile(path: url.path)
        let headers = try fileHeaders(name, fileName ?? url.lastPathComponent, contentType ?? Self.type(of: url.path))
        let source = file.contents.map(MultipartPart.Source.data)
        add(source ?? .file(path: file.path, byteCount: file.byteCount), headers, name)
    }

    /// Adds a stream that is read when the body is sent. It can be read once, so a request with such a part cannot be
    /// sent again after a redirect or a challenge.
    ///
    /// - Parameters:
    ///   - stream: the content.
    ///   - byteCount: the exact number of bytes; a stream with fewer or more bytes is an error of the request.
    ///   - name: the name of the form's field.
    ///   - fileName: the file's name for the server.
    ///   - contentType: nil looks up the file name's extension in the system's table.
    /// - Throws: `NetworkingError` with `invalidRequest` if the content type or a name contains a control character.
    public mutating func append(
        _ stream: InputStream, byteCount: Int64, name: String, fileName: String, contentType: String? = nil
    ) throws(NetworkingError) {
        let once = SingleUseStream(stream)
        try append(
            .stream(byteCount: byteCount, once.consume, isReplayable: once.isUntouched), name, fileName, contentType)
    }

    /// Adds a stream that is made each time the body is sent.
    ///
    /// - Parameters:
    ///   - byteCount: the exact number of bytes; a stream with fewer or more bytes is an error of the request.
    ///   - name: the name of the form's field.
    ///   - fileName: the file's name for the server.
    ///   - contentType: nil looks up the file name's extension in the system's table.
    ///   - makeStream: called on the thread that reads the body; nil is an error of the request.
    /// - Throws: `NetworkingError` with `invalidRequest` if the content type or a name contains a control character.
    public mutating func append(
        byteCount: Int64, name: String, fileName: String, contentType: String? = nil,
        makeStream: @escaping @Sendable () -> InputStream?
    ) throws(NetworkingError) {
        try append(.stream(byteCount: byteCount, makeStream, isReplayable: { true }), name, fileName, contentType)
    }

    /// Adds a part with custom headers.
    ///
    /// - Throws: `NetworkingError` with `invalidRequest` if a header cannot be sent.
    public mutating func append(headers: HeaderFields, body: Data) throws(NetworkingError) {
        for field in headers.fields { try RequestCheck.field(name: field.name, value: field.value) }
        add(.data(body), headers.fields.map { ($0.name, $0.value) }, "")
    }

    /// Throttles the body, as for a network that is charged by the byte. Each read returns at most one packet and is
    /// followed by the delay.
    public mutating func throttle(
        packetByteCount: Int = Self.suggestedPacketByteCount, delay: Duration = Self.suggestedDelay
    ) {
        precondition(packetByteCount > 0, "a packet has at least one byte")
        let seconds = Double(delay.components.seconds) + Double(delay.components.attoseconds) / 1e18
        throttle = Throttle(packetByteCount: packetByteCount, delay: max(seconds, 0))
    }

    /// Adds the parameters of a request, one part for each name that a query would have.
    mutating func append(_ parameters: Parameters, encoding: String.Encoding = .utf8) throws(NetworkingError) {
        for field in try FormFields.flat(parameters, allowsData: true) {
            guard case .text(let text) = field.value, encoding != .utf8 else {
                try append(field.value.bytes, name: field.name)
                continue
            }
            guard let data = text.data(using: encoding) else {
                let name = RequestCheck.shown(field.name)
                throw NetworkingError(.invalidRequest, "parameter \(name) cannot be encoded in \(encoding)")
            }
            try append(data, name: field.name)
        }
    }
}

// MARK: - Headers of parts

extension MultipartFormData {
    private static let dispositionName = "Content-Disposition"

    private mutating func append(
        _ source: MultipartPart.Source, _ name: String, _ fileName: String, _ contentType: String?
    ) throws(NetworkingError) {
        precondition(source.byteCount >= 0, "a part cannot have a negative byte count")
        add(source, try fileHeaders(name, fileName, contentType), name)
    }

    private mutating func add(_ source: MultipartPart.Source, _ fields: [(String, String)], _ name: String) {
        parts.append(MultipartPart(name: name, headers: fields.map { "\($0): \($1)\r\n" }.joined(), source: source))
    }

    private func fileHeaders(
        _ name: String, _ fileName: String, _ contentType: String?
    ) throws(NetworkingError) -> [(String, String)] {
        let type = contentType ?? Self.type(of: fileName)
        try RequestCheck.field(name: "Content-Type", value: type)
        let start = try disposition(name)
        try check(fileName, "the file name of the part \(RequestCheck.shown(name))")
        let shown = start + "; filename=\"\(FormNames.escape(fileName))\""
        return [(Self.dispositionName, shown), ("Content-Type", type)]
    }

    private func disposition(_ name: String) throws(NetworkingError) -> String {
        try check(name, "the name of the part \(RequestCheck.shown(name))")
        return "form-data; name=\"\(FormNames.escape(FormNames.withNetworkLineEnds(name)))\""
    }

    /// Throws if the text contains a character that a part's header cannot contain. Line ends are allowed, because they
    /// are escaped.
    private func check(_ text: String, _ description: String) throws(NetworkingError) {
        let isRefused = { (byte: UInt8) in FieldSyntax.isForbiddenInValue(byte) && byte != 0x0D && byte != 0x0A }
        guard let byte = text.utf8.first(where: isRefused) else { return }
        throw NetworkingError(.invalidRequest, "\(description) contains \(FieldSyntax.name(ofControl: byte))")
    }

    private static func type(of path: String) -> String {
        MIMETypes.ofThisSystem.type(ofExtension: URL(fileURLWithPath: path).pathExtension)
    }
}
