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
            "The base of relative URLs: with https://h/v1, users is https://h/v1/users.", valueName: "url"),
        transform: BaseURL.init)
    private var base: BaseURL?

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            """
            A header field for every line that does not set it; repeatable. ${env:NAME} in the value is replaced by \
            an environment variable of the process that sends the request.
            """,
            valueName: "name: value"),
        transform: HeaderOption.init)
    private var header: [HeaderOption] = []

    @Flag(help: "Send the path segments . and .. unchanged; by default they are removed.")
    var pathAsIs = false

    @Flag(help: "Cancel the remaining operations after the first failure.")
    var failFast = false

    /// The URL of `--base-url`.
    var baseURL: URL? { base?.url }

    /// Checks the options here because errors of throwing transforms would show the texts, which may contain passwords
    /// and tokens.
    func validate() throws {
        if let problem = header.lazy.compactMap(\.problem).first { throw ValidationError("--header: \(problem)") }
        guard let base, base.url == nil else { return }
        throw ValidationError(base.problem)
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
