// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
public import Foundation

/// A server over TLS that speaks HTTP/2 (Python's h2). The path says what the server does, right or wrong.
///
/// - `/ok`: 200 and "ok"; the same for every path that is not listed here
/// - `/reset/CODE`: RST_STREAM with the error code instead of an answer; `/reset-inside/CODE`: in the middle of the
///   body
/// - `/refused/COUNT`: REFUSED_STREAM for the first COUNT requests with this method and path, "ok" for later ones
/// - `/goaway/COUNT`: for the first COUNT requests, GOAWAY that reports no request as processed, and the end of the
///   connection
/// - `/last`: "ok", and GOAWAY that reports this request as the last one
/// - `/end/COUNT`: for the first COUNT requests, the end of the connection without notice; `/notice/COUNT`: with a
///   close_notify
/// - `/short`, `/long`: one byte less, or one more, than the content length says
/// - `/fields/BYTES`: that many bytes of header fields
/// - `/field/BYTES`: one header field of that many bytes
/// - `/pings/COUNT`, `/empty/COUNT`: that many PING frames, or empty DATA frames, before "ok"
/// - `/early`: 103 before "ok"; `/trailers`: trailers after "ok"
/// - `/silent`: nothing
/// - `/held/STATUS`: a head that leads to `/ok` or asks for a credential, and nothing more; `/flood/STATUS`: 200,000
///   bytes after that head, without an end; `/brief/STATUS`: a body after that head; `/at-once/STATUS`: as `/held`,
///   but before the request's body. A request with a credential gets "ok"
public final class HTTP2Server: Sendable {
    /// Whether a Python with h2 was found. If not, prints so once on standard error.
    public static let isAvailable = Availability.decide(
        "an HTTP/2 server", missing: python == nil ? "no Python with h2 was found" : nil)

    private static let python = PythonModules.python(with: "h2.connection, hyperframe.frame", in: "mitmproxy-venv")

    /// A request that the server received.
    public struct Request: Sendable, Equatable {
        /// The method.
        public let method: String
        /// The target.
        public let path: String
        /// The connection's number, from 1.
        public let connection: Int
        /// The length of the body.
        public let byteCount: Int
    }

    private let process: ServerProcess

    private init(process: ServerProcess) {
        self.process = process
    }

    /// Starts a server, passes it to `body`, and stops it when `body` returns or throws.
    ///
    /// - Parameters:
    ///   - streamLimit: the limit of concurrent requests on a connection (SETTINGS_MAX_CONCURRENT_STREAMS).
    ///   - isWindowClosed: whether a request's body must wait for 100 ms before any of it may be sent.
    public static func serving(
        streamLimit: Int = 100, isWindowClosed: Bool = false, _ body: (HTTP2Server) async throws -> Void
    ) async throws {
        guard let python else { throw TestServerError("no Python with h2 was found") }
        let process = try await ServerProcess.start(portCount: 1) { folder, ports in
            let certificate = TestCertificate.localhost
            return [
                python, "-u", try folder.write("script.py", script), try certificate.certificatePath,
                try certificate.keyPath, String(ports[0]), String(streamLimit), isWindowClosed ? "0" : "65535",
            ]
        }
        let server = HTTP2Server(process: process)
        do {
            try await body(server)
        } catch {
            await process.stop()
            throw error
        }
        await process.stop()
    }

    /// The URL of a path.
    public func url(_ path: String) -> URL { loopbackURL("https", process.ports[0], path) }

    /// The requests that arrived completely, in order of arrival.
    public var requests: [Request] {
        process.output.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            guard words.count == 5, words[0] == "request", let connection = Int(words[3]), let count = Int(words[4])
            else { return nil }
            return Request(method: String(words[1]), path: String(words[2]), connection: connection, byteCount: count)
        }
    }

    private static let script = #"""
        import socket, ssl, sys, threading, time
        from collections import Counter
        from h2.config import H2Configuration
        from h2.connection import H2Connection
        from h2.events import DataReceived, RequestReceived, StreamEnded, StreamReset, WindowUpdated
        from h2.exceptions import ProtocolError
        from h2.settings import SettingCodes
        from hyperframe.frame import GoAwayFrame, PingFrame, WindowUpdateFrame, DataFrame

        certificate, key, port, stream_limit, window = sys.argv[1:]
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        context.set_alpn_protocols(["h2"])
        counts, lock = Counter(), threading.Lock()

        class Ended(Exception):
            pass

        class Connection:
            def __init__(self, plain, number):
                self.plain, self.number = plain, number
                self.requests, self.sizes, self.authorized, self.floods = {}, Counter(), set(), {}

            def run(self):
                try:
                    self.socket = context.wrap_socket(self.plain, server_side=True)
                    self.h2 = H2Connection(H2Configuration(
                        client_side=False, header_encoding="utf-8", validate_outbound_headers=False,
                        normalize_outbound_headers=False))
                    self.h2.local_settings = type(self.h2.local_settings)(client=False, initial_values={
                        SettingCodes.MAX_CONCURRENT_STREAMS: int(stream_limit),
                        SettingCodes.INITIAL_WINDOW_SIZE: int(window)})
                    self.h2.initiate_connection()
                    self.flush()
                    while True:
                        data = self.socket.recv(65536)
                        if not data:
                            return
                        for event in self.h2.receive_data(data):
                            self.take(event)
                        self.flush()
                except (Ended, OSError, ProtocolError):
                    pass  # a trace in the output would stand amid the lines about requests
                finally:
                    self.plain.close()
                    if hasattr(self, "socket"):
                        self.socket.close()

            def flush(self, more=b""):
                self.socket.sendall(self.h2.data_to_send() + more)

            def take(self, event):
                if isinstance(event, RequestReceived):
                    fields = dict(event.headers)
                    self.requests[event.stream_id] = (fields[":method"], fields[":path"])
                    if "authorization" in fields:
                        self.authorized.add(event.stream_id)
                    elif fields[":path"].startswith("/at-once/"):
                        self.hold(event.stream_id, "held", fields[":path"][9:])
                    if window == "0" and event.stream_ended is None:
                        self.flush()
                        time.sleep(0.1)
                        self.h2.increment_flow_control_window(1 << 20, event.stream_id)
                elif isinstance(event, DataReceived):
                    self.sizes[event.stream_id] += len(event.data)
                    if event.flow_controlled_length:
                        self.h2.increment_flow_control_window(event.flow_controlled_length)
                    if event.flow_controlled_length and window != "0" and event.stream_ended is None:
                        self.h2.increment_flow_control_window(event.flow_controlled_length, event.stream_id)
                elif isinstance(event, StreamReset):
                    self.floods.pop(event.stream_id, None)
                elif isinstance(event, WindowUpdated):
                    for stream in list(self.floods):
                        self.flood(stream)
                elif isinstance(event, StreamEnded):
                    method, path = self.requests.pop(event.stream_id)
                    with lock:
                        sys.stdout.write(f"request {method} {path} {self.number} {self.sizes[event.stream_id]}\n")
                        counts[method, path] += 1
                        count = counts[method, path]
                    word, _, number = path[1:].partition("/")
                    self.answer(event.stream_id, word, int(number.split("/")[0] or 0), count)

            def head(self, stream, length=2, more=()):
                self.h2.send_headers(stream, [(":status", "200"), ("content-length", str(length)), *more])

            def ok(self, stream):
                self.head(stream)
                self.h2.send_data(stream, b"ok", end_stream=True)

            def hold(self, stream, word, status):
                self.h2.send_headers(stream, [
                    (":status", status), ("location", "/ok"), ("www-authenticate", 'Basic realm="x"')])
                if word == "flood":
                    self.floods[stream] = 200000
                    self.flood(stream)
                if word == "brief":
                    self.h2.send_data(stream, b"brief", end_stream=True)

            def flood(self, stream):
                while self.floods.get(stream, 0) > 0:
                    room = min(self.floods[stream], self.h2.local_flow_control_window(stream),
                               self.h2.max_outbound_frame_size)
                    if room <= 0:
                        return  # until the client's window grows
                    self.h2.send_data(stream, bytes(room))
                    self.floods[stream] -= room

            def answer(self, stream, word, number, count):
                frames = b""
                if word in ("held", "flood", "brief") and stream not in self.authorized:
                    return self.hold(stream, word, str(number))
                if word == "silent":
                    return
                if word == "reset":
                    return self.h2.reset_stream(stream, number)
                if word == "reset-inside":
                    self.head(stream, 100)
                    self.h2.send_data(stream, bytes(50))
                    return self.h2.reset_stream(stream, number)
                if word == "refused" and count <= number:
                    return self.h2.reset_stream(stream, 7)
                if word == "goaway" and count <= number:
                    self.flush(GoAwayFrame(0, last_stream_id=0).serialize())
                    raise Ended
                if word == "notice" and count <= number:
                    self.socket.setblocking(False)
                    try:
                        self.socket.unwrap()  # sends close_notify, and does not wait for the peer's
                    except OSError:
                        pass
                    raise Ended
                if word == "end" and count <= number:
                    raise Ended
                if word in ("short", "long"):
                    self.head(stream, 3 if word == "short" else 1)
                    return self.h2.send_data(stream, b"ok", end_stream=True)
                if word == "fields":
                    value = "x" * 8000
                    self.head(stream, 2, [(f"field-{i}", value) for i in range(number // 8000)])
                    return self.h2.send_data(stream, b"ok", end_stream=True)
                if word == "field":
                    self.head(stream, 2, [("field", "x" * number)])
                    return self.h2.send_data(stream, b"ok", end_stream=True)
                if word == "pings":
                    for _ in range(number // 100):
                        self.flush(PingFrame(0, b"12345678").serialize() * 100)
                if word == "empty":
                    self.head(stream)
                    for _ in range(number // 100):
                        self.flush(DataFrame(stream).serialize() * 100)
                    return self.h2.send_data(stream, b"ok", end_stream=True)
                if word == "early":
                    self.h2.send_headers(stream, [(":status", "103"), ("link", "</style.css>")])
                if word == "trailers":
                    self.head(stream)
                    self.h2.send_data(stream, b"ok")
                    return self.h2.send_headers(stream, [("after", "all")], end_stream=True)
                self.ok(stream)
                if word == "last":
                    self.flush(GoAwayFrame(0, last_stream_id=stream).serialize())
                    raise Ended

        listener = socket.create_server(("127.0.0.1", int(port)), backlog=200)
        number = 0
        while True:
            plain, _ = listener.accept()
            plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            number += 1
            threading.Thread(target=Connection(plain, number).run, daemon=True).start()
        """#
}
