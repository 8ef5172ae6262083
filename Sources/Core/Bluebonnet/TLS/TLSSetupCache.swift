// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetLocks
internal import CLinux
internal import Foundation
internal import Glibc

/// Keeps what was read for TLS, so that it is read once and not for each request, and notices when a file has changed.
/// Any thread.
final class TLSSetupCache: Sendable {
    /// Of the process.
    static let shared = TLSSetupCache(trustedFor: 1_000_000_000)

    private struct Entry {
        let setup: TLSSetup
        let stamps: [ByteString: SourceStamp]
        /// When the files were last looked at.
        var checked: UInt64
    }

    private static let limit = 64
    private let entries = Mutex<[TLSSetupSource: Entry]>([:])
    /// For how many nanoseconds files are taken to be what they were.
    private let lifetime: UInt64

    init(trustedFor lifetime: UInt64) {
        self.lifetime = lifetime
    }

    /// What may be used until an instant of the monotonic clock; then its files have to be looked at again.
    struct Ready: Sendable {
        let setup: TLSSetup
        let end: UInt64
    }

    /// What is there already; nil when files have to be looked at. Does not block.
    func ready(_ source: TLSSetupSource) -> Ready? {
        let now = MonotonicClock.roughly()
        return entries.withLock { entries in
            guard let entry = entries[source] else { return nil }
            let age = now > entry.checked ? now - entry.checked : 0
            return age < lifetime ? Ready(setup: entry.setup, end: entry.checked + lifetime) : nil
        }
    }

    /// Reads what is not there, or what has changed; may block.
    func load(_ source: TLSSetupSource) throws(NetworkingError) -> TLSSetup {
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
        // A key log that is kept would stay open; who asked for one does not count milliseconds.
        guard source.options.keyLogFile == nil else { return setup }
        let entry = Entry(setup: setup, stamps: stamps, checked: now)
        entries.withLock { entries in
            if entries.count >= Self.limit { entries = [:] }
            entries[source] = entry
        }
        return setup
    }
}

/// By what it is seen that a file was changed or replaced.
private struct SourceStamp: Equatable {
    let byteCount: Int64
    let inode: UInt64
    let modified: Int64

    /// Nil when there is no such file.
    init?(_ path: String) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var file = bluebonnet_file()
        guard bluebonnet_look_at(descriptor, &file) == 0 else { return nil }
        (byteCount, inode, modified) = (file.byte_count, file.inode, file.modified)
    }
}
