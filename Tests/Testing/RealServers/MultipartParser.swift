// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
public import Foundation

/// Third-party parsers of multipart forms, in Python. They find in a body what a server would find.
public enum MultipartParser: String, CaseIterable, Sendable {
    /// The package `python-multipart`.
    case pythonMultipart
    /// The package `multipart`.
    case multipart

    /// One part as a parser found it.
    public struct Part: Sendable, Equatable, Decodable {
        /// The header fields, names in lower case.
        public let headers: [String: String]
        /// The bytes.
        public let body: Data
    }

    /// Whether a Python with both packages was found. If not, prints so once on standard error.
    public static let isAvailable = Availability.decide(
        "multipart parsers", missing: python == nil ? "no Python with python-multipart and multipart was found" : nil)

    private static let python = PythonModules.python(with: "python_multipart, multipart")

    /// The parts of a body, in order. Throws if the parser does not accept the body.
    public func parts(of body: Data, contentType: String) throws -> [Part] {
        guard let python = Self.python else { throw TestServerError("no Python with multipart parsers was found") }
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let paths = [try folder.write("script.py", Self.script), try folder.write("body", body), folder.path("parts")]
        try ChildProcess.run([python, paths[0], rawValue, contentType, paths[1], paths[2]], in: folder)
        return try JSONDecoder().decode([Part].self, from: Data(contentsOf: URL(fileURLWithPath: paths[2])))
    }

    private static let script = #"""
        import base64, io, json, sys

        parser, content_type, body_path, result_path = sys.argv[1:]
        boundary = content_type.split("boundary=")[1].encode()
        body = open(body_path, "rb").read()
        parts = []

        def with_python_multipart():
            from python_multipart.multipart import MultipartParser
            state = {"name": b"", "value": b"", "ended": False}
            def begin(): parts.append({"headers": {}, "body": b""})
            def data(bytes, start, end): parts[-1]["body"] += bytes[start:end]
            def name(bytes, start, end): state["name"] += bytes[start:end]
            def value(bytes, start, end): state["value"] += bytes[start:end]
            def header():
                parts[-1]["headers"][state["name"].decode().lower()] = state["value"].decode()
                state["name"] = state["value"] = b""
            def end(): state["ended"] = True
            parser = MultipartParser(boundary, {
                "on_part_begin": begin, "on_part_data": data, "on_header_field": name, "on_header_value": value,
                "on_header_end": header, "on_end": end})
            assert parser.write(body) == len(body)
            parser.finalize()
            assert state["ended"], "the last boundary is missing"

        def with_multipart():
            import multipart
            for part in multipart.MultipartParser(io.BytesIO(body), boundary, len(body), strict=True):
                headers = {name.lower(): value for name, value in part.headerlist}
                parts.append({"headers": headers, "body": part.raw})

        {"pythonMultipart": with_python_multipart, "multipart": with_multipart}[parser]()
        for part in parts: part["body"] = base64.b64encode(part["body"]).decode()
        json.dump(parts, open(result_path, "w"))
        """#
}
