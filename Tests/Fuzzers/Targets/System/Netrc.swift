// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import Foundation
import FoundationNetworking

extension FuzzTarget {
    /// The text of a netrc file.
    static let netrc = FuzzTarget("netrc") { input in
        let text = input.remainder
        guard let file = try? Netrc(text: text) else { return }
        try holdSame(try Netrc(text: text + "\n# the end"), file, "a comment changes nothing")
        let hosts = Set(text.split(whereSeparator: \.isWhitespace).prefix(20).map { String($0).lowercased() })
        for host in hosts.union(["example.com"]) {
            guard let found = file.credential(forHost: host) else { continue }
            let (user, password) = (found.user ?? "", found.password ?? "")
            try hold(!(user + password).utf8.contains { $0 < 0x20 || $0 == 0x7F }, "a credential has a control in it")
            let written = "machine \(quoted(host)) login \(quoted(user)) password \(quoted(password))"
            let again = try Netrc(text: written).credential(forHost: host)
            try hold(
                FieldSyntax.isSameText(again?.user ?? "", user)
                    && FieldSyntax.isSameText(again?.password ?? "", password),
                "the credential for \(host) is read again as it is written")
        }
    }

    private static func quoted(_ text: String) -> String {
        "\"" + text.unicodeScalars.map { "\"\\".unicodeScalars.contains($0) ? "\\\($0)" : "\($0)" }.joined() + "\""
    }
}
