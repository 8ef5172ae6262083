// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Glibc

/// The switch of the library that makes calls fail, if it is loaded.
struct Torture: Sendable {
    private func call(_ name: String) {
        dlsym(nil, name).map { unsafeBitCast($0, to: (@convention(c) () -> Void).self) }?()
    }

    /// Calls fail from now on.
    func begin() { call("torture_arm") }

    /// No call fails any more.
    func end() { call("torture_disarm") }
}
