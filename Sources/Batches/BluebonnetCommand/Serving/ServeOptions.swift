// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import ArgumentParser
import Bluebonnet
internal import BluebonnetServing
import Foundation

/// The options to look at the command from outside, over HTTP.
struct ServeOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Serve the state over HTTP at an IP address and a port, such as 127.0.0.1:8080; port 0 is any free port.",
            valueName: "address"),
        transform: ServeOptions.address)
    var serve: ServingAddress?

    @Option(
        help: ArgumentHelp(
            "A file of mode 0600 with a token of at least 16 bytes, which readers need; required for addresses that "
                + "other machines can reach.", valueName: "file"),
        completion: .file(), transform: OptionValue.readablePath)
    var serveTokenFile: String?

    /// The options that are given.
    var names: [String] { serve == nil ? [] : ["--serve"] }

    func validate() throws {
        guard let serve else {
            guard serveTokenFile == nil else { throw ValidationError("--serve-token-file requires --serve") }
            return
        }
        guard serve.isLoopback || serveTokenFile != nil else {
            throw ValidationError("--serve \(serve) can be reached by other machines: it requires --serve-token-file")
        }
    }

    static func address(_ text: String) throws -> ServingAddress {
        guard let address = ServingAddress(text) else {
            throw ValidationError("expected an IP address and a port, such as 127.0.0.1:8080 or [::1]:8080")
        }
        return address
    }

    /// Who may read.
    func access() throws(CommandError) -> AccessRule {
        guard let serveTokenFile else { return AccessRule() }
        let text: String
        do throws(NetworkingError) {
            text = try PrivateFile.text(ofFile: serveTokenFile)
        } catch {
            throw .unusable(error.message)
        }
        let token = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard token.utf8.count >= AccessRule.minimumTokenByteCount,
            token.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else {
            throw .unusable(
                "cannot use \(serveTokenFile): expected one token of at least \(AccessRule.minimumTokenByteCount) bytes, "
                    + "without spaces")
        }
        return AccessRule(token: token)
    }
}

extension CommandError {
    init(_ error: ServingError) { self = .unusable(error.message) }
}
