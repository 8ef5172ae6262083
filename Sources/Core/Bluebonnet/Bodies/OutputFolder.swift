// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CLinux
internal import Foundation
internal import Glibc

/// The rule for a download that would get the name of an existing file.
public enum ExistingFilePolicy: String, Sendable, Codable, CaseIterable {
    /// The download gets another name: `name (2).ext`.
    case number
    /// The download fails with `cannotWriteFile`, and what it brought is removed.
    case fail
    /// The download replaces the existing file.
    case replace
}

/// A folder that downloads go to, held by its descriptor: whatever happens to its path meanwhile, nothing is ever
/// written elsewhere. It knows no network.
final class OutputFolder: Sendable {
    let descriptor: CInt
    private let policy: ExistingFilePolicy
    private let givenPath: String

    /// Opens a folder.
    ///
    /// - Parameter isCreated: whether it is made, with the folders above it, when it is not there.
    init(path: String, policy: ExistingFilePolicy, isCreated: Bool = false) throws(NetworkingError) {
        if isCreated { try Self.create(path) }
        descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        givenPath = path
        self.policy = policy
        guard descriptor >= 0 else {
            throw NetworkingError(
                .cannotOpenFile, "cannot open the folder \(path): does it exist and may it be read?",
                underlying: POSIXError.last)
        }
    }

    private static func create(_ path: String) throws(NetworkingError) {
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            throw NetworkingError(.cannotOpenFile, "cannot create the folder \(path)", underlying: error)
        }
    }

    deinit { if descriptor >= 0 { closeOffNetworkThread(descriptor) } }

    /// Where the folder is now, as far as that is known.
    var path: String {
        let link = "/proc/self/fd/\(descriptor)"
        let now = try? FileManager.default.destinationOfSymbolicLink(atPath: link)
        return now.flatMap { $0.hasPrefix("/") && !$0.hasSuffix(" (deleted)") ? $0 : nil } ?? givenPath
    }

    /// The names of the folder's entries; empty where they cannot be read.
    var names: [String] {
        let copy = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard copy >= 0 else { return [] }
        guard let entries = fdopendir(copy) else {
            close(copy)
            return []
        }
        defer { closedir(entries) }
        var names: [String] = []
        while let entry = readdir(entries) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { bytes in
                bytes.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: bytes.pointee)) {
                    String(cString: $0)
                }
            }
            names.append(name)
        }
        return names
    }

    /// Gives a file of the folder its name and returns the path. What a link of that name leads to is never touched.
    ///
    /// - Parameters:
    ///   - suggestion: one path component.
    ///   - prepare: called with what the file will replace.
    func place(
        _ name: String, as suggestion: String,
        _ prepare: (ExistingFile) throws(NetworkingError) -> Void = { _ throws(NetworkingError) in }
    ) throws(NetworkingError) -> String {
        precondition(
            !suggestion.isEmpty && !suggestion.utf8.contains(UInt8(ascii: "/")) && suggestion != "."
                && suggestion != "..", "a file name is one path component")
        switch policy {
        case .replace:
            try prepare(
                ExistingFile.checkReplaceable(suggestion, in: descriptor, shown: "\(path)/\(suggestion)"))
            guard renameat(descriptor, name, descriptor, suggestion) == 0 else { throw failure(suggestion) }
            return "\(path)/\(suggestion)"
        case .fail:
            guard try moveToFreeName(name, suggestion) else {
                throw NetworkingError(.cannotWriteFile, "there is a file \(path)/\(suggestion) already")
            }
            return "\(path)/\(suggestion)"
        case .number: return try placeNumbered(name, suggestion)
        }
    }

    private func placeNumbered(_ name: String, _ suggestion: String) throws(NetworkingError) -> String {
        var search = FreeNumberSearch()
        while true {
            let target = search.number == 1 ? suggestion : SuggestedFileName.numbered(suggestion, search.number)
            if search.isNext {
                if try moveToFreeName(name, target) { return "\(path)/\(target)" }
                search.numberIsTaken()
            } else if isTaken(target) {
                search.numberIsTaken()
            } else {
                search.numberIsFree()
            }
        }
    }

    private func isTaken(_ target: String) -> Bool {
        faccessat(descriptor, target, F_OK, AT_SYMLINK_NOFOLLOW) == 0
    }

    /// False when the name is taken.
    private func moveToFreeName(_ name: String, _ target: String) throws(NetworkingError) -> Bool {
        if bluebonnet_rename_to_free_name(descriptor, name, target) == 0 { return true }
        if errno == EEXIST { return false }
        guard errno == EINVAL || errno == ENOSYS else { throw failure(target) }
        return try claimAndMove(name, target)
    }

    /// Moves a file to a free name on a file system without an exclusive rename: an empty file reserves the name first.
    /// False when the name is taken.
    private func claimAndMove(_ name: String, _ target: String) throws(NetworkingError) -> Bool {
        let claim = openat(descriptor, target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        if claim < 0 && errno == EEXIST { return false }
        guard claim >= 0 else { throw failure(target) }
        close(claim)
        if renameat(descriptor, name, descriptor, target) == 0 { return true }
        let error = failure(target)
        unlinkat(descriptor, target, 0)
        throw error
    }

    private func failure(_ target: String) -> NetworkingError {
        NetworkingError(
            .cannotWriteFile, "cannot move the download to \(path)/\(target)", underlying: POSIXError.last)
    }
}

/// Where a body goes whose name the response suggests.
struct OutputDirectory: Codable, Sendable {
    var url: URL?
    var policy = ExistingFilePolicy.number
}
