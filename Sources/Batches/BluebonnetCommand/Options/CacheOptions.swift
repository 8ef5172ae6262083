// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import ArgumentParser
import Bluebonnet
internal import BluebonnetCache
import Foundation

/// The options that let a cache answer requests.
struct CacheOptions: ParsableArguments {
    @Option(
        name: .customLong("cache"),
        help: ArgumentHelp(
            "Store responses in this folder and use them as their servers permit (RFC 9111). Any number of processes "
                + "may share the folder.", valueName: "dir"), completion: .directory)
    var folder: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The size limit of the cache in bytes; k, M and G stand for KiB, MiB and GiB. The least recently used responses "
                + "are removed. (default: 1G)", valueName: "bytes"),
        transform: OptionValue.byteRate)
    var cacheSize: Int?

    func validate() throws {
        if folder?.isEmpty == true { throw ValidationError("--cache needs the path of a folder") }
        if folder == nil, cacheSize != nil { throw ValidationError("--cache-size needs --cache") }
    }

    /// Adds the cache, and opens it. If the disk is full or fails, the requests are sent without a cache. A folder that
    /// cannot be written is used as it is.
    ///
    /// - Parameters:
    ///   - isNeeded: whether the requests cannot be sent instead.
    ///   - storesForReplay: whether responses without a lifetime are stored, too.
    /// - Throws: an error of the folder.
    func add(
        to options: inout TransferOptions, isNeeded: Bool = false, storesForReplay: Bool = false
    ) throws(NetworkingError) {
        guard let folder else { return }
        let url = URL(fileURLWithPath: folder, isDirectory: true)
        do throws(NetworkingError) {
            let cache = try FolderResponseCache(
                at: url, byteCapacity: cacheSize ?? 1 << 30, storesForReplay: storesForReplay)
            if cache.isReadOnly, !isNeeded {
                let use = "its responses are used, and no others are stored"
                StandardError.write("bluebonnet: warning: the cache \(folder) cannot be written: \(use)\n")
            }
            cache.onFirstFailure = { StandardError.write(Self.warning($0)) }
            options.responseCache = cache
        } catch {
            let code = (error.underlying as? POSIXError)?.code
            guard !isNeeded, code == .ENOSPC || code == .EIO else { throw error }
            StandardError.write("bluebonnet: warning: \(error.message); requests are sent without it\n")
        }
    }

    /// The warning about a cache that can no longer be written. Requests continue.
    static func warning(_ error: NetworkingError) -> String {
        let isFull = (error.underlying as? POSIXError)?.code == .ENOSPC
        let remedy = isFull ? "free space, or lower --cache-size" : "make it writable, or name another folder"
        return "bluebonnet: warning: \(error.message); requests continue, and not all responses are stored: \(remedy)\n"
    }
}

/// The options of a run's cache, which may answer alone.
struct RunCacheOptions: ParsableArguments {
    @OptionGroup var cache: CacheOptions

    @Flag(help: "Send nothing: answer from the cache alone, regardless of the age of its responses.")
    var offline = false

    func validate() throws {
        if offline, cache.folder == nil { throw ValidationError("--offline needs --cache") }
    }

    /// Adds the cache, and opens it.
    ///
    /// - Throws: an error of the folder.
    func add(to options: inout TransferOptions) throws(NetworkingError) {
        try cache.add(to: &options, isNeeded: offline, storesForReplay: true)
        if offline { options.cachePolicy = .onlyIfCached }
    }
}
