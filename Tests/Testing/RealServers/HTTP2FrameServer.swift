// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
public import Foundation

/// A server that answers HTTP/2 requests with the frames that the path names, valid or not, over TLS and in the clear
/// (prior knowledge).
///
/// The server sends the path's segments one after another, each once the client has read the previous one. A segment
/// is a list of frames separated by dots:
/// - `head`: a head of status 200; `length-N`: a head with Content-Length; `empty-STATUS`: a head that ends the
///   stream
/// - `data-N`, `end-N`: a DATA frame of N bytes; `end-N` ends the stream. `padded-N`: with 7 bytes of padding
/// - `trailers`: fields that end the stream
/// - `reset-CODE`: RST_STREAM; `goaway-CODE`: GOAWAY that names this stream as the last one
/// - `flood`: more SETTINGS frames than nghttp2 accepts, which then gives up the connection at once
/// - `close`: the end of the connection, with a close_notify over TLS; `cut`: without one; `silent`: nothing
/// - each name in `faults`: frames that no server may send
public final class HTTP2FrameServer: Sendable {
    /// Whether a Python with hpack was found. If not, prints so once on standard error.
    public static let isAvailable = Availability.decide(
        "an HTTP/2 frame server", missing: python == nil ? "no Python with hpack was found" : nil)

    private static let python = PythonModules.python(with: "hpack", in: "mitmproxy-venv")

    /// Frames that break a connection or a stream (RFC 9113, 4 to 6).
    public static let faults = [
        "oversized", "data-stream-0", "data-idle", "settings-ack-length", "settings-length", "settings-push",
        "settings-window", "settings-frame-size", "settings-on-stream", "window-zero", "window-overflow",
        "window-length", "ping-length", "ping-on-stream", "goaway-on-stream", "reset-stream-0", "reset-idle",
        "reset-length", "headers-stream-0", "headers-idle", "hpack", "lone-continuation", "push", "priority-length",
        "noise", "unfinished-headers", "half-frame", "stream-window-overflow", "pseudo-trailers", "fake-padding",
    ]

    private let process: ServerProcess

    private init(process: ServerProcess) {
        self.process = process
    }

    /// Starts a server, passes it to `body`, and stops it when `body` returns or throws.
    public static func serving(_ body: (HTTP2FrameServer) async throws -> Void) async throws {
        guard let python else { throw TestServerError("no Python with hpack was found") }
        let process = try await ServerProcess.start(portCount: 2) { folder, ports in
            let certificate = TestCertificate.localhost
            return [
                python, "-u", try folder.write("script.py", script), try certificate.certificatePath,
                try certificate.keyPath,
            ] + ports.map(String.init)
        }
        let server = HTTP2FrameServer(process: process)
        do {
            try await body(server)
        } catch {
            await process.stop()
            throw error
        }
        await process.stop()
    }

    /// The URL of an answer.
    public func url(_ answer: String, isSecure: Bool) -> URL {
        loopbackURL(isSecure ? "https" : "http", process.ports[isSecure ? 0 : 1], "/" + answer)
    }

    private static let script = #"""
        import os, socket, ssl, struct, sys, threading, time
        from hpack import Decoder, Encoder

        certificate, key, secure_port, plain_port = sys.argv[1:]
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        context.set_alpn_protocols(["h2"])
        DATA, HEADERS, PRIORITY, RESET, SETTINGS, PUSH, PING, GOAWAY, WINDOW, CONTINUATION = range(10)

        def frame(kind, flags, stream, payload=b""):
            return struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream) + payload

        # The literal form without indexing, so that no state is shared between frames.
        def fields(*pairs):
            encoded = b""
            for name, value in pairs:
                encoded += b"\x00" + bytes([len(name)]) + name.encode() + bytes([len(value)]) + value.encode()
            return encoded

        def head(stream, status=200, length=None, flags=4):
            pairs = [(":status", str(status))] + ([("content-length", str(length))] if length is not None else [])
            return frame(HEADERS, flags, stream, fields(*pairs))

        def fault(name, s):
            word = struct.pack
            return {
                "oversized": lambda: frame(DATA, 0, s, bytes(16385 + 100)),
                "data-stream-0": lambda: frame(DATA, 0, 0, b"x"),
                "data-idle": lambda: frame(DATA, 0, s + 100, b"x"),
                "settings-ack-length": lambda: frame(SETTINGS, 1, 0, bytes(6)),
                "settings-length": lambda: frame(SETTINGS, 0, 0, bytes(5)),
                "settings-push": lambda: frame(SETTINGS, 0, 0, word(">HI", 2, 2)),
                "settings-window": lambda: frame(SETTINGS, 0, 0, word(">HI", 4, 0x80000000)),
                "settings-frame-size": lambda: frame(SETTINGS, 0, 0, word(">HI", 5, 1)),
                "settings-on-stream": lambda: frame(SETTINGS, 0, s, word(">HI", 3, 10)),
                "window-zero": lambda: frame(WINDOW, 0, 0, word(">I", 0)),
                "window-overflow": lambda: frame(WINDOW, 0, 0, word(">I", 0x7fffffff)) * 2,
                "window-length": lambda: frame(WINDOW, 0, 0, bytes(3)),
                "ping-length": lambda: frame(PING, 0, 0, bytes(7)),
                "ping-on-stream": lambda: frame(PING, 0, s, bytes(8)),
                "goaway-on-stream": lambda: frame(GOAWAY, 0, s, bytes(8)),
                "reset-stream-0": lambda: frame(RESET, 0, 0, word(">I", 8)),
                "reset-idle": lambda: frame(RESET, 0, s + 100, word(">I", 8)),
                "reset-length": lambda: frame(RESET, 0, s, bytes(3)),
                "headers-stream-0": lambda: head(0),
                "headers-idle": lambda: head(s + 100),
                "hpack": lambda: frame(HEADERS, 5, s, b"\xff\xff\xff\xff\xff\xff\xff\xff\xff"),
                "lone-continuation": lambda: frame(CONTINUATION, 4, s, fields(("a", "b"))),
                "push": lambda: frame(PUSH, 4, s, word(">I", 2) + fields((":method", "GET"))),
                "priority-length": lambda: frame(PRIORITY, 0, s, bytes(4)),
                "noise": lambda: os.urandom(3) + b"\xee\xee" + os.urandom(4) + bytes(range(64)),
                "unfinished-headers": lambda: frame(HEADERS, 0, s, fields(("a", "b"))) + frame(PING, 0, 0, bytes(8)),
                "half-frame": lambda: frame(DATA, 1, s, bytes(100))[:50],
                "stream-window-overflow": lambda: frame(WINDOW, 0, s, word(">I", 0x7fffffff)) * 2,
                "pseudo-trailers": lambda: frame(HEADERS, 5, s, fields((":status", "200"))),
                "fake-padding": lambda: frame(DATA, 8, s, b"\xff" + bytes(10)),
            }[name]()

        def bytes_of(item, s):
            word, _, number = item.partition("-")
            if item == "head":
                return head(s)
            if word == "length":
                return head(s, length=int(number))
            if word == "empty":
                return head(s, int(number), flags=5)
            if word in ("data", "end", "padded") and number.isdigit():
                body = b"b" * int(number)
                if word == "padded":
                    return frame(DATA, 8, s, b"\x07" + body + bytes(7))
                return frame(DATA, 1 if word == "end" else 0, s, body)
            if item == "flood":
                return frame(SETTINGS, 0, 0) * 1100
            if item == "trailers":
                return frame(HEADERS, 5, s, fields(("after", "all")))
            if word == "reset" and number.isdigit():
                return frame(RESET, 0, s, struct.pack(">I", int(number)))
            if word == "goaway" and number.isdigit():
                return frame(GOAWAY, 0, 0, struct.pack(">II", s, int(number)))
            return fault(item, s)

        class Connection:
            def __init__(self, plain, is_secure):
                self.plain = self.socket = plain
                self.plain_name, self.plain_peer = plain.getsockname(), plain.getpeername()
                self.is_secure = is_secure

            def run(self):
                try:
                    if self.is_secure:
                        self.socket = context.wrap_socket(self.plain, server_side=True)
                    self.file = self.socket.makefile("rb")
                    if len(self.file.read(24)) < 24:
                        return
                    self.socket.sendall(frame(SETTINGS, 0, 0))
                    decoder = Decoder(max_header_list_size=1 << 20)
                    while True:
                        start = self.file.read(9)
                        if len(start) < 9:
                            return
                        payload = self.file.read(int.from_bytes(start[:3], "big"))
                        kind, flags, stream = start[3], start[4], int.from_bytes(start[5:], "big")
                        if kind == SETTINGS and not flags & 1:
                            self.socket.sendall(frame(SETTINGS, 1, 0))
                        elif kind == HEADERS:
                            if flags & 32:
                                payload = payload[5:]
                            while not flags & 4:
                                start = self.file.read(9)
                                flags = start[4]
                                payload += self.file.read(int.from_bytes(start[:3], "big"))
                            path = dict(decoder.decode(payload))[":path"]
                            self.answer(path[1:].split("?")[0].split("/"), stream)
                except OSError:
                    pass
                finally:
                    self.cut()

            def cut(self):
                try:
                    self.plain.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass
                self.socket.close()
                self.plain.close()

            # Whether the client has read all that was sent: its socket is on this machine.
            def is_read(self):
                def entry(address):
                    host = "".join(f"{int(part):02X}" for part in reversed(address[0].split(".")))
                    return f"{host}:{address[1]:04X}"
                wanted = [entry(self.plain_peer), entry(self.plain_name)]
                with open("/proc/net/tcp") as sockets:
                    for line in sockets:
                        fields = line.split()
                        if fields[1:3] == wanted:
                            return fields[4].endswith(":00000000")
                return True

            # A client that does not read for now gets the next segment nevertheless.
            def wait_until_read(self):
                for _ in range(100):
                    time.sleep(0.01)
                    if self.is_read():
                        return time.sleep(0.01)

            def answer(self, segments, stream):
                for index, segment in enumerate(segments):
                    if index > 0:
                        self.wait_until_read()
                    items = segment.split(".")
                    sent = b"".join(bytes_of(i, stream) for i in items if i not in ("close", "cut", "silent"))
                    self.socket.sendall(sent)
                    if "close" in items and self.is_secure:
                        self.socket.settimeout(0)
                        try:
                            self.socket.unwrap()  # sends close_notify, and does not wait for the peer's
                        except OSError:
                            pass
                    if "close" in items or "cut" in items:
                        raise OSError("over")

        def listen(port, is_secure):
            listener = socket.create_server(("127.0.0.1", int(port)), backlog=200)
            while True:
                plain, _ = listener.accept()
                plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                threading.Thread(target=Connection(plain, is_secure).run, daemon=True).start()

        threading.Thread(target=listen, args=(plain_port, False), daemon=True).start()
        listen(secure_port, True)
        """#
}
