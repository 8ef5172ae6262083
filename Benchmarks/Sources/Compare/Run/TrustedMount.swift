// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Comparison
import Figures
import Foundation
import Glibc
import Processes

/// Replaces the system's authorities for one process, by a mount that only this process sees.
///
/// URLSession on Linux trusts the system's authorities and has no option for others.
struct TrustedMount: Sendable {
    /// The file of the authorities in Debian and Ubuntu.
    private static let systemFile = "/etc/ssl/certs/ca-certificates.crt"

    private let authorityFile: String
    private let prefix: [String]?

    /// Whether this system allows this user such a mount.
    var isPossible: Bool { prefix != nil }

    init(_ authorityFile: String, in folder: URL) {
        self.authorityFile = authorityFile
        let forms = [["--mount"], ["--user", "--map-root-user", "--mount"]]
        guard let unshare = Spawning.find("unshare") else {
            prefix = nil
            return
        }
        prefix = forms.lazy.map { [unshare] + $0 }.first { form in
            let group = ChildGroup(
                words: Self.around(["/bin/true"], form, authorityFile),
                outputFile: folder.appendingPathComponent("mount"),
                errorFile: folder.appendingPathComponent("mount-errors"), limit: .seconds(10))
            guard let (end, _) = try? group.run(), end == .exited else { return false }
            let said = try? Data(contentsOf: folder.appendingPathComponent("mount-errors"))
            return said?.isEmpty == true
        }
    }

    /// Returns the arguments that run a command with the mount.
    func around(_ words: [String]) -> [String] {
        prefix.map { Self.around(words, $0, authorityFile) } ?? words
    }

    private static func around(_ words: [String], _ prefix: [String], _ authorityFile: String) -> [String] {
        let script = "mount --bind \"$1\" \(systemFile) && shift && exec \"$@\""
        return prefix + ["/bin/sh", "-c", script, "sh", authorityFile] + words
    }
}
