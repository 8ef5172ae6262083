// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

extension FaultCases {
    static let certificate: [FaultCase] = [
        shown(.goodByAddress, "A certificate for an address is accepted.", .success("hello")),
        shown(.goodWithIntermediate, "A certificate of an intermediate authority is accepted.", .success("hello")),
        shown(.expired, "A certificate that has expired is refused."),
        shown(.notYetValid, "A certificate that is not valid yet is refused."),
        shown(.otherHost, "A certificate for another host is refused."),
        shown(.selfSigned, "A certificate that signed itself is refused."),
        shown(.untrustedRoot, "A certificate of an unknown authority is refused."),
        shown(.withoutIntermediate, "A certificate whose issuer is missing is refused."),
        shown(.expiredIntermediate, "A certificate of an authority that has expired is refused."),
        shown(.forbiddenByConstraints, "A certificate that its authority may not issue is refused."),
        shown(.issuedByServer, "A certificate that a server has issued is refused."),
        shown(.commonNameOnly, "The common name is no name of a host (RFC 9110, 4.3.4)."),
        shown(.addressAsName, "An address is no DNS name."),
        shown(.addressAsCommonName, "The common name is no address."),
        shown(.clientsOnly, "A certificate for clients only is refused."),
        shown(.unknownCriticalExtension, "An unknown extension that is critical is not passed over."),
        old(.v10, "TLS 1.0 is refused by default (RFC 8996)."), old(.v11, "TLS 1.1 is refused by default (RFC 8996)."),
        FaultCase(
            "tls-of-plain-server", .certificate, "A server without TLS gives no response over https.",
            [ServerPlan(.plain, .text("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"))],
            [.init("GET", "https://127.0.0.1:{0:port}/", expect: .failure)]),
        pin("pin-right", "A server with the pinned key is accepted.", .good, .success("hello")),
        pin("pin-wrong", "A trusted server without the pinned key is refused.", .goodByAddress, .failure),
        FaultCase(
            "pin-on-open-connection", .certificate, "A pin counts on a connection that is already there.",
            [.secure(["*": [.ok("hello")]])],
            [.init(expect: .success("hello")), .init(expect: .failure) { $0.pin = .goodByAddress }]
        ) { $0.notOffered = noPins },
        FaultCase(
            "pin-after-redirect", .certificate, "A pin counts after a redirect too.",
            [
                .secure(["*": [.redirect(to: "https://127.0.0.1:{1:port}/")]]),
                ServerPlan(.tls(.goodByAddress, nil), .text(hello)),
            ],
            [.init(expect: .failure) { $0.pin = .good }]
        ) { $0.notOffered = noPins },
    ]

    private static let hello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"

    private static let noPins: [Client: String] = [
        .asyncHTTPClient: "it has no pins", .urlSession: "on Linux, it shows a program no certificates",
    ]

    private static func shown(_ identity: Identity, _ rule: String, _ expectation: Expectation = .failure) -> FaultCase
    {
        let words = identity.rawValue.map { $0.isUppercase ? "-\($0.lowercased())" : "\($0)" }.joined()
        return FaultCase(
            "certificate-\(words)", .certificate, rule, [ServerPlan(.tls(identity, nil), .text(hello))],
            [.init(expect: expectation)])
    }

    private static func old(_ version: ServerPlan.OldTLS, _ rule: String) -> FaultCase {
        FaultCase(
            version == .v10 ? "tls-1.0" : "tls-1.1", .certificate, rule,
            [ServerPlan(.tls(.good, version), .text(hello))], [.init(expect: .failure)])
    }

    private static func pin(_ name: String, _ rule: String, _ pin: Identity, _ expectation: Expectation) -> FaultCase {
        FaultCase(
            name, .certificate, rule, [.secure(.text(hello))], [.init(expect: expectation) { $0.pin = pin }]
        ) { $0.notOffered = noPins }
    }
}
