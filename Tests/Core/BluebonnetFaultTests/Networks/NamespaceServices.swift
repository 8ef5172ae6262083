// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import RealServers

/// The services at 10.77.0.1 in a namespace: a name server for "test" that gives wrong, late or no answers, and an
/// HTTP server on port 80.
///
/// Names:
/// - `good`: the address. Names that are not listed here have the same answer.
/// - `missing`: the name does not exist. `failing`: server failure (SERVFAIL). `empty`: a name without addresses.
/// - `slow-MS`: the address, after MS milliseconds.
/// - `silent`: no answer. `garbage`: bytes that are not a DNS message.
/// - `truncated`: a truncated answer (TC) over UDP, fifty addresses over TCP. `stuck`: a truncated answer over UDP,
///   no answer over TCP.
/// - `half-dead`: an address where no server listens, and the right address.
/// - `forged`: first an answer with another ID and a wrong address, as from another sender; then the right answer.
/// - `wrong`: an address that never answers. `closed`: an address where no server listens.
///
/// HTTP: `/bytes/COUNT` returns letters in alphabetical order, any other path returns "answer".
enum NamespaceServices {
    static let address = "10.77.0.1"

    static func start(in namespace: NetworkNamespace) async throws -> NamespaceProgram {
        try await NamespaceProgram.start(python: script, [address], in: namespace)
    }

    private static let script = #"""
        import http.server, socket, socketserver, struct, sys, threading, time

        own = sys.argv[1]

        def question(message):
            place, labels = 12, []
            while message[place]:
                labels.append(message[place + 1:place + 1 + message[place]].decode())
                place += message[place] + 1
            return labels[0].lower(), struct.unpack("!H", message[place + 1:place + 3])[0], message[12:place + 5]

        def reply(message, addresses=(), code=0, truncated=False, number=None):
            name, kind, asked = question(message)
            flags = 0x8580 | code | (0x0200 if truncated else 0)
            answers = [a for a in addresses if kind == 1]
            head = (message[:2] if number is None else number) + struct.pack("!HHHHH", flags, 1, len(answers), 0, 0)
            records = b"".join(
                b"\xc0\x0c" + struct.pack("!HHIH", 1, 1, 0, 4) + socket.inet_aton(a) for a in answers)
            return head + asked + records

        def answers(message, is_tcp):
            name, kind, _ = question(message)
            many = ["10.77.0.%d" % n for n in range(101, 150)] + [own]
            if name == "missing": return [reply(message, code=3)]
            if name == "failing": return [reply(message, code=2)]
            if name == "empty": return [reply(message)]
            if name == "silent": return []
            if name == "garbage": return [b"garbage"]
            if name == "truncated": return [reply(message, many) if is_tcp else reply(message, truncated=True)]
            if name == "half-dead": return [reply(message, ["127.0.0.9", own])]
            if name == "stuck": return [] if is_tcp else [reply(message, truncated=True)]
            if name == "wrong": return [reply(message, ["10.77.0.9"])]
            if name == "closed": return [reply(message, ["127.0.0.9"])]
            if name == "forged":
                other = bytes([message[0] ^ 0x55, message[1]])
                return [reply(message, ["127.0.0.9"], number=other), reply(message, [own])]
            if name.startswith("slow-"):
                time.sleep(int(name[5:]) / 1000)
            return [reply(message, [own])]

        def serve_udp(endpoint):
            def serve(message, client):
                print("udp", question(message)[0], flush=True)
                for answer in answers(message, False):
                    endpoint.sendto(answer, client)
            while True:
                message, client = endpoint.recvfrom(4096)
                threading.Thread(target=serve, args=(message, client), daemon=True).start()

        def serve_tcp(listener):
            def serve(connection):
                while True:
                    head = connection.recv(2)
                    if len(head) < 2:
                        return
                    message = connection.recv(struct.unpack("!H", head)[0])
                    print("tcp", question(message)[0], flush=True)
                    for answer in answers(message, True):
                        connection.sendall(struct.pack("!H", len(answer)) + answer)
            while True:
                threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                words = self.path.split("/")
                count = int(words[2]) if words[1] == "bytes" else 6
                self.send_response(200)
                self.send_header("Content-Length", str(count))
                self.end_headers()
                if words[1] != "bytes":
                    return self.wfile.write(b"answer")
                for start in range(0, count, 26000):
                    self.wfile.write((b"abcdefghijklmnopqrstuvwxyz" * 1000)[:min(26000, count - start)])

            def log_message(self, *words):
                pass

        class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
            daemon_threads = True
            request_queue_size = 128

            def server_bind(self):
                socketserver.TCPServer.server_bind(self)  # without a look-up of the own name
                self.server_name, self.server_port = self.server_address

            def handle_error(self, *words):
                pass

        endpoint = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        endpoint.bind((own, 53))
        listener = socket.create_server((own, 53), backlog=64)
        threading.Thread(target=serve_udp, args=(endpoint,), daemon=True).start()
        threading.Thread(target=serve_tcp, args=(listener,), daemon=True).start()
        server = Server(("0.0.0.0", 80), Handler)
        print("ready", flush=True)
        server.serve_forever()
        """#
}
