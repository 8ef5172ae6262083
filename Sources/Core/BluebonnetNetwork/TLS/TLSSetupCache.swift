// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetLocks
internal import CLinux
internal import Foundation
internal import Glibc

/// Caches the contents of TLS files, so that they are read once instead of for each request, and detects changed
/// files. Any thread.
package final class TLSSetupCache: Sendable {
    /// The cache of the process.
    package static let shared = TLSSetupCache(trustedFor: 1_000_000_000)

    /// A cached setup and the state of its files when they were read.
    private struct Entry {
        let setup: TLSSetup
        let stamps: [ByteString: SourceStamp]
        /// The instant at which the files were last checked.
        var checked: UInt64
    }

    private static let limit = 64
    private let entries = Mutex<[TLSSetupSource: Entry]>([:])
    /// How long files are assumed to be unchanged, in nanoseconds.
    private let lifetime: UInt64

    init(trustedFor lifetime: UInt64) {
        self.lifetime = lifetime
    }

    /// A setup that may be used until `end`, an instant of the monotonic clock. After it, the files have to be checked
    /// again.
    package struct Ready: Sendable {
        package let setup: TLSSetup
        package let end: UInt64
    }

    /// Returns a cached setup; nil if the files have to be checked. Does not block.
    package func ready(_ source: TLSSetupSource) -> Ready? {
        let now = MonotonicClock.roughly()
        return entries.withLock { entries in
            guard let entry = entries[source] else { return nil }
            let age = now > entry.checked ? now - entry.checked : 0
            return age < lifetime ? Ready(setup: entry.setup, end: entry.checked + lifetime) : nil
        }
    }

    /// Returns a setup, and reads its files if they are not cached or have changed. May block.
    package func load(_ source: TLSSetupSource) throws(NetworkingError) -> TLSSetup {
        let now = MonotonicClock.now()
        var stamps: [ByteString: SourceStamp] = [:]
        for path in try source.files { stamps[ByteString(path)] = SourceStamp(path) }
        let known = entries.withLock { entries -> TLSSetup? in
            guard let entry = entries[source], entry.stamps == stamps else { return nil }
            entries[source]?.checked = now
            return entry.setup
        }
        if let known { return known }
        let setup = try TLSSetup(source)
        // A cached key log would keep its file open. A program that logs keys can afford an uncached setup.
        guard source.options.keyLogFile == nil else { return setup }
        let entry = Entry(setup: setup, stamps: stamps, checked: now)
        entries.withLock { entries in
            if entries.count >= Self.limit { entries = [:] }
            entries[source] = entry
        }
        return setup
    }
}

/// The attributes by which a changed or replaced file is detected.
private struct SourceStamp: Equatable {
    let byteCount: Int64
    let inode: UInt64
    let modified: Int64

    /// Nil if the file does not exist.
    init?(_ path: String) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var file = bluebonnet_file()
        guard bluebonnet_look_at(descriptor, &file) == 0 else { return nil }
        (byteCount, inode, modified) = (file.byte_count, file.inode, file.modified)
    }
}
