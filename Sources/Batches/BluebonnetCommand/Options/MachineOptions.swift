// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import ArgumentParser
import Bluebonnet

/// The options that let requests use settings of the sending machine and user.
struct MachineOptions: ParsableArguments {
    @Flag(help: "For lines without a proxy, use http_proxy, https_proxy, all_proxy and no_proxy.")
    var environmentProxy = false

    @Flag(help: "Use the credentials of the user's .netrc file, or of the file that NETRC names.")
    var netrc = false

    /// Adds the settings of the options.
    ///
    /// - Throws: an error in the environment variables or in the file.
    func add(to options: inout TransferOptions) throws(NetworkingError) {
        if environmentProxy { options.proxyConfiguration = try .environment }
        if netrc { options.netrc = try .ofUser }
    }
}
