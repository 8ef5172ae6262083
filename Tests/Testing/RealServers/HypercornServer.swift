// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
public import Foundation

/// A server (Python's hypercorn) that speaks HTTP/1.1 on one port, and HTTP/2 or HTTP/1.1 over TLS on another. It
/// reports the requests that it received.
///
/// - `GET /bytes/NAME/COUNT`: that many bytes, the same that `bytes(_:count:)` makes, with an entity tag and ranges
/// - any other request: 200 and a JSON object with `sha256` and `count` of the body, and with `parts` (a digest per
///   name) if the body is a multipart form
///
/// The certificate is `TestCertificate.localhost`.
public final class HypercornServer: Sendable {
    /// Whether a Python with hypercorn was found. If not, prints so once on standard error.
    public static let isAvailable = Availability.decide(
        "hypercorn", missing: python == nil ? "no Python with hypercorn was found" : nil)

    private static let python = PythonModules.python(with: "hypercorn, h2, multipart")

    private let process: ServerProcess

    private init(process: ServerProcess) { self.process = process }

    /// Starts a server and waits until it listens.
    public static func start() async throws -> HypercornServer {
        guard let python else { throw TestServerError("no Python with hypercorn was found") }
        let process = try await ServerProcess.start(portCount: 2) { folder, ports in
            let certificate = TestCertificate.localhost
            try folder.write("application.py", application)
            let settings = """
                bind = ["127.0.0.1:\(ports[1])"]
                insecure_bind = ["127.0.0.1:\(ports[0])"]
                certfile = "\(try certificate.certificatePath)"
                keyfile = "\(try certificate.keyPath)"
                errorlog = "/dev/null"
                backlog = 1024
                graceful_timeout = 1

                """
            let path = try folder.write("settings.py", settings)
            return [
                "/usr/bin/env", "PYTHONPATH=\(folder.url.path)", python, "-m", "hypercorn", "-c", "file:\(path)",
                "application:application",
            ]
        }
        return HypercornServer(process: process)
    }

    /// The port for plain HTTP/1.1.
    public var port: Int { process.ports[0] }

    /// The port for TLS, with HTTP/2 if the client offers it.
    public var tlsPort: Int { process.ports[1] }

    /// Stops the server and waits until it is gone.
    public func stop() async { await process.stop() }

    /// The bytes of a name, with which `GET /bytes/NAME/COUNT` answers. No two parts of the bytes are alike.
    public static func bytes(_ name: String, count: Int) -> Data {
        var state = name.utf8.reduce(UInt64(0)) { ($0 &* 31 &+ UInt64($1)) & 0xFFFF_FFFF }
        var bytes = Data(capacity: count + 8)
        while bytes.count < count {
            state = (state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407)
            withUnsafeBytes(of: state.bigEndian) { bytes.append(contentsOf: $0) }
        }
        return bytes.prefix(count)
    }

    private static let application = #"""
        import functools, hashlib, io, json, struct
        from multipart import MultipartParser, parse_options_header

        @functools.lru_cache(64)
        def body_of(name, count):
            state = 0
            for letter in name.encode():
                state = (state * 31 + letter) & 0xFFFFFFFF
            words = []
            for _ in range(count // 8 + 1):
                state = (state * 6364136223846793005 + 1442695040888963407) & 0xFFFFFFFFFFFFFFFF
                words.append(state)
            return struct.pack(f">{len(words)}Q", *words)[:count]

        async def answer(send, status, fields, body):
            fields = [(b"content-length", str(len(body)).encode())] + fields
            await send({"type": "http.response.start", "status": status, "headers": fields})
            for start in range(0, len(body), 16384):
                piece = body[start:start + 16384]
                more = start + 16384 < len(body)
                await send({"type": "http.response.body", "body": piece, "more_body": more})
            if not body:
                await send({"type": "http.response.body", "body": b""})

        async def serve_bytes(scope, headers, send):
            _, _, name, count = scope["path"].split("/")
            body = body_of(name, int(count))
            tag = b'"' + hashlib.sha256(body).hexdigest()[:16].encode() + b'"'
            fields = [(b"etag", tag), (b"accept-ranges", b"bytes")]
            wanted = headers.get(b"range", b"")
            if wanted.startswith(b"bytes=") and wanted.endswith(b"-") and headers.get(b"if-range", tag) == tag:
                start = int(wanted[6:-1])
                if start >= len(body):
                    return await answer(send, 416, fields + [(b"content-range", b"bytes */%d" % len(body))], b"")
                place = b"bytes %d-%d/%d" % (start, len(body) - 1, len(body))
                return await answer(send, 206, fields + [(b"content-range", place)], body[start:])
            await answer(send, 200, fields, body)

        async def application(scope, receive, send):
            if scope["type"] != "http":
                return
            headers = dict(scope["headers"])
            pieces = []
            while True:
                event = await receive()
                if event["type"] == "http.disconnect":
                    return
                pieces.append(event.get("body", b""))
                if not event.get("more_body"):
                    break
            if scope["path"].startswith("/bytes/"):
                return await serve_bytes(scope, headers, send)
            body = b"".join(pieces)
            told = {"sha256": hashlib.sha256(body).hexdigest(), "count": len(body)}
            kind, options = parse_options_header(headers.get(b"content-type", b"").decode())
            if kind == "multipart/form-data":
                parts = MultipartParser(io.BytesIO(body), options["boundary"])
                told["parts"] = {part.name: hashlib.sha256(part.raw).hexdigest() for part in parts}
            fields = [(b"content-type", b"application/json")]
            await answer(send, 200, fields, json.dumps(told).encode())
        """#
}
