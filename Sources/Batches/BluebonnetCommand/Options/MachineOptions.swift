// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import ArgumentParser
import Bluebonnet

/// Settings of the sending machine and user that requests may use.
struct MachineOptions: ParsableArguments {
    @Flag(help: "Take the proxies of lines that name none from http_proxy, https_proxy, all_proxy and no_proxy.")
    var environmentProxy = false

    @Flag(help: "Answer challenges of hosts that the user's .netrc file names (or the file that NETRC names).")
    var netrc = false

    /// Adds what the options ask for.
    ///
    /// - Throws: what is wrong with the environment or with the file.
    func add(to options: inout TransferOptions) throws(NetworkingError) {
        if environmentProxy { options.proxyConfiguration = try .environment }
        if netrc { options.netrc = try .ofUser }
    }
}
