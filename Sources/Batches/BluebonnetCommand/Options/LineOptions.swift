// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import ArgumentParser
import Bluebonnet
internal import BluebonnetBatch
import Foundation

/// The options for the lines of a batch that `run` and `submit` share.
struct LineOptions: ParsableArguments {
    @Option(
        name: .customLong("base-url"),
        help: ArgumentHelp(
            "What relative URLs are resolved against: to https://h/v1, users is https://h/v1/users.", valueName: "url"),
        transform: BaseURL.init)
    private var base: BaseURL?

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            """
            A header field of every line that does not set it; may be given again and again. ${env:NAME} in the \
            value stands for an environment variable of the process that sends the request.
            """,
            valueName: "name: value"),
        transform: HeaderOption.init)
    private var header: [HeaderOption] = []

    @Flag(help: "Send the segments . and .. of a URL's path as they are; they are removed otherwise.")
    var pathAsIs = false

    @Flag(help: "The first failure cancels what has not finished.")
    var failFast = false

    /// The URL of `--base-url`.
    var baseURL: URL? { base?.url }

    /// Checks the options here because errors of throwing transforms would show the texts, which may contain passwords
    /// and tokens.
    func validate() throws {
        if let problem = header.lazy.compactMap(\.problem).first { throw ValidationError("--header: \(problem)") }
        guard let base, base.url == nil else { return }
        throw ValidationError(
            "--base-url must be an http:// or https:// URL with a host, and is \(RequestCheck.shown(base.shown))")
    }

    /// The header fields of `--header`.
    var headers: HeaderFields {
        get throws(NetworkingError) {
            var settings = RequestLineRunner.Settings()
            for field in header { try settings.addHeader(field.text) }
            return settings.headers
        }
    }
}
