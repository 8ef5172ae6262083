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
            "Store responses in this folder and use them as their servers permit (RFC 9111). Any number of runs may "
                + "share the folder.", valueName: "dir"), completion: .directory)
    var folder: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The size limit of the cache in bytes; k, M and G stand for KiB, MiB and GiB. The least recently used responses "
                + "are removed. (default: 1G)", valueName: "bytes"),
        transform: OptionValue.byteRate)
    var cacheSize: Int?

    @Flag(help: "Send nothing: answer from the cache alone, regardless of the age of its responses.")
    var offline = false

    func validate() throws {
        if folder == nil, let option = cacheSize != nil ? "--cache-size" : offline ? "--offline" : nil {
            throw ValidationError("\(option) needs --cache")
        }
    }

    /// Adds the cache, and opens it. If the disk is full, the requests are sent without a cache, unless they must not
    /// be sent.
    ///
    /// - Throws: an error of the folder.
    func add(to options: inout TransferOptions) throws(NetworkingError) {
        guard let folder else { return }
        let url = URL(fileURLWithPath: folder, isDirectory: true)
        do throws(NetworkingError) {
            options.responseCache = try FolderResponseCache(
                at: url, byteCapacity: cacheSize ?? 1 << 30, storesForReplay: true)
        } catch {
            guard !offline, (error.underlying as? POSIXError)?.code == .ENOSPC else { throw error }
            StandardError.write("bluebonnet: warning: \(error.message); requests are sent without the cache\n")
        }
        if offline { options.cachePolicy = .onlyIfCached }
    }
}
