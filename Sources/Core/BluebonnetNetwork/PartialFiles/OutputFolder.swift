// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CLinux
package import Foundation
internal import Glibc

/// The policy for a download whose file name already exists.
public enum ExistingFilePolicy: String, Sendable, Codable, CaseIterable {
    /// The download gets another name: `name (2).ext`.
    case number
    /// The download fails with `cannotWriteFile`, and its bytes are removed.
    case fail
    /// The download replaces the existing file.
    case replace
}

/// A folder for downloads, kept open by its descriptor. Files are never written to another folder, even if the path
/// changes meanwhile. Independent of the network.
package final class OutputFolder: Sendable {
    let descriptor: CInt
    private let policy: ExistingFilePolicy
    private let givenPath: String

    /// Opens a folder.
    ///
    /// - Parameter isCreated: whether a missing folder is created, with its missing parents.
    package init(path: String, policy: ExistingFilePolicy, isCreated: Bool = false) throws(NetworkingError) {
        if isCreated { try Self.create(path) }
        descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        givenPath = path
        self.policy = policy
        guard descriptor >= 0 else {
            throw NetworkingError(
                .cannotOpenFile, "cannot open the folder \(path): check that it exists and is readable",
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

    /// The current path of the folder, or the given path if the current one is not known.
    var path: String {
        let link = "/proc/self/fd/\(descriptor)"
        let now = try? FileManager.default.destinationOfSymbolicLink(atPath: link)
        return now.flatMap { $0.hasPrefix("/") && !$0.hasSuffix(" (deleted)") ? $0 : nil } ?? givenPath
    }

    /// The names of the folder's entries; empty if they cannot be read.
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

    /// Gives a file in the folder its final name and returns its path. A symbolic link of that name is never followed.
    ///
    /// - Parameters:
    ///   - suggestion: one path component.
    ///   - prepare: called before the move if the policy is `replace`, with what currently has the name.
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
                throw NetworkingError(.cannotWriteFile, "the file \(path)/\(suggestion) already exists")
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

    /// Moves a file to a free name. Returns false if the name is taken.
    private func moveToFreeName(_ name: String, _ target: String) throws(NetworkingError) -> Bool {
        if bluebonnet_rename_to_free_name(descriptor, name, target) == 0 { return true }
        if errno == EEXIST { return false }
        guard errno == EINVAL || errno == ENOSYS else { throw failure(target) }
        return try claimAndMove(name, target)
    }

    /// Moves a file to a free name on a file system without an exclusive rename. An empty file reserves the name first.
    /// Returns false if the name is taken.
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

/// The folder for a body whose file name the response suggests, and the policy for existing files.
package struct OutputDirectory: Codable, Sendable {
    package var url: URL?
    package var policy = ExistingFilePolicy.number

    package init(url: URL? = nil, policy: ExistingFilePolicy = ExistingFilePolicy.number) {
        self.url = url
        self.policy = policy
    }
}
