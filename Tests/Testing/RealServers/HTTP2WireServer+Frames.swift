// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation

extension HTTP2WireServer {
    /// A frame that a client sent.
    public struct ReceivedFrame: Sendable {
        /// The number of its connection, from 1.
        public let connection: Int
        /// Its type (RFC 9113, 6).
        public let kind: UInt8
        /// Its flags.
        public let flags: UInt8
        /// Its stream.
        public let stream: Int
        /// The first 64 bytes of its payload.
        public let payload: [UInt8]
    }

    /// A frame to send, valid or not.
    public struct Frame: Sendable {
        /// The stream of a frame.
        public enum Stream: Sendable {
            case connection, request
            /// The request's stream plus this number.
            case behind(Int)
        }

        var kind: UInt8
        var flags: UInt8
        var stream: Stream
        var payload: [UInt8]
        var count = 1

        /// Makes a frame.
        public init(kind: UInt8, flags: UInt8 = 0, stream: Stream = .connection, payload: [UInt8] = []) {
            (self.kind, self.flags, self.stream, self.payload) = (kind, flags, stream, payload)
        }

        /// DATA on the request's stream.
        public static func data(_ text: String, ends: Bool = false) -> Frame {
            Frame(kind: 0, flags: ends ? 1 : 0, stream: .request, payload: Array(text.utf8))
        }

        /// HEADERS on the request's stream, with fields that use no HPACK table.
        public static func head(_ fields: [(String, String)], ends: Bool = false, isWhole: Bool = true) -> Frame {
            Frame(
                kind: 1, flags: (ends ? 1 : 0) | (isWhole ? 4 : 0), stream: .request,
                payload: fields.flatMap { literal($0.0, $0.1) })
        }

        /// RST_STREAM on the request's stream.
        public static func reset(_ code: UInt8) -> Frame {
            Frame(kind: 3, stream: .request, payload: [0, 0, 0, code])
        }

        /// PING.
        public static let ping = Frame(kind: 6, payload: [1, 2, 3, 4, 5, 6, 7, 8])

        /// SETTINGS with these parameters.
        public static func settings(_ parameters: [(Int, Int)] = []) -> Frame {
            Frame(
                kind: 4,
                payload: parameters.flatMap {
                    big(UInt16(truncatingIfNeeded: $0.0)) + big(UInt32(truncatingIfNeeded: $0.1))
                })
        }

        /// The frame, sent this many times.
        public func repeated(_ count: Int) -> Frame {
            var frame = self
            frame.count = count
            return frame
        }

        /// A field in HPACK's literal form without indexing (RFC 7541, 6.2.2). Each string has up to 16,000 bytes.
        public static func literal(_ name: String, _ value: String) -> [UInt8] {
            [0] + string(name) + string(value)
        }

        private static func string(_ text: String) -> [UInt8] {
            var (rest, length) = (text.utf8.count - 127, [UInt8]())
            guard rest >= 0 else { return [UInt8(text.utf8.count)] + Array(text.utf8) }
            while rest >= 128 {
                length.append(UInt8(rest % 128 + 128))
                rest /= 128
            }
            return [127] + length + [UInt8(rest)] + Array(text.utf8)
        }

        private static func big(_ number: some FixedWidthInteger) -> [UInt8] {
            withUnsafeBytes(of: number.bigEndian) { Array($0) }
        }

        var word: String {
            let place =
                switch stream {
                case .connection: "0"
                case .request: "s"
                case .behind(let distance): "s\(distance)"
                }
            let bytes = payload.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            return "\(kind)-\(flags)-\(place)-\(count)-\(bytes)"
        }
    }
}

extension HTTP2WireServer {
    static let script = #"""
        import json, socket, ssl, struct, sys, threading
        from hpack import Decoder

        certificate, key, port, opening = sys.argv[1:]
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        context.set_alpn_protocols(["h2"])
        output = threading.Lock()

        def note(line):
            with output:
                sys.stdout.write(line + "\n")

        def frame(kind, flags, stream, payload=b""):
            return struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream) + payload

        OK = b"\x88" + b"\x00\x0econtent-length\x012"

        class Connection:
            def __init__(self, plain, number):
                self.plain, self.number, self.paths = plain, number, {}

            def run(self):
                try:
                    self.socket = context.wrap_socket(self.plain, server_side=True)
                    self.file = self.socket.makefile("rb")
                    note(f"preface {self.number} {self.file.read(24).hex()}")
                    for word in filter(None, opening.split(".")):
                        self.send(word, 0)
                    self.decoder = Decoder(max_header_list_size=1 << 20)
                    while self.take():
                        pass
                except (OSError, ValueError):
                    pass
                finally:
                    self.plain.close()
                    if hasattr(self, "socket"):
                        self.socket.close()

            def read(self):
                start = self.file.read(9)
                if len(start) < 9:
                    return None
                payload = self.file.read(int.from_bytes(start[:3], "big"))
                kind, flags, stream = start[3], start[4], int.from_bytes(start[5:], "big")
                note(f"frame {self.number} {kind} {flags} {stream} {payload[:64].hex()}")
                return kind, flags, stream, payload

            def take(self):
                read = self.read()
                if read is None:
                    return False
                kind, flags, stream, payload = read
                if kind == 0:
                    note(f"data {len(payload)}")
                if kind == 4 and not flags & 1:
                    self.socket.sendall(frame(4, 1, 0))
                if kind == 1:
                    if flags & 8:
                        payload = payload[1:len(payload) - payload[0]]
                    if flags & 32:
                        payload = payload[5:]
                    ends = flags & 1
                    while not flags & 4:
                        _, flags, _, more = self.read()
                        payload += more
                    fields = self.decoder.decode(payload)
                    note("head " + json.dumps(fields))
                    words = dict(fields)[":path"][1:].split("?")[0].split(".")
                    self.paths[stream] = words
                    return self.answer(stream) if ends or words[0] == "early" else True
                if kind == 0 and flags & 1 and stream in self.paths:
                    return self.answer(stream)
                return True

            def answer(self, stream):
                words = self.paths.pop(stream)
                if words[0].startswith("ok"):
                    self.socket.sendall(frame(1, 4, stream, OK) + frame(0, 1, stream, b"ok"))
                    return True
                for word in words:
                    if word in ("", "early"):
                        continue
                    if word == "close":
                        self.socket.settimeout(0)
                        try:
                            self.socket.unwrap()  # sends close_notify, and does not wait for the peer's
                        except OSError:
                            pass
                        return False
                    self.send(word, stream)
                return True

            def send(self, word, stream):
                kind, flags, place, count, payload = word.split("-")
                number = 0 if place == "0" else stream + int(place[1:] or 0)
                self.socket.sendall(frame(int(kind), int(flags), number, bytes.fromhex(payload)) * int(count))

        listener = socket.create_server(("127.0.0.1", int(port)), backlog=200)
        number = 0
        while True:
            plain, _ = listener.accept()
            plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            number += 1
            threading.Thread(target=Connection(plain, number).run, daemon=True).start()
        """#
}
