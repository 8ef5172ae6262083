// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation

/// A unique folder in the system's temporary folder.
public struct TemporaryFolder: Sendable {
    /// The URL of the folder.
    public let url: URL

    /// Makes an empty folder that only this user can read.
    public init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("bluebonnet-tests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    /// Returns the path of a file or folder in the folder.
    public func path(_ name: String) -> String { url.appendingPathComponent(name).path }

    /// Writes a file in the folder, after creating intermediate folders. Returns its path.
    @discardableResult
    public func write(_ name: String, _ contents: Data) throws -> String {
        let file = url.appendingPathComponent(name)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try contents.write(to: file)
        return file.path
    }

    /// Writes a text file in the folder. Returns its path.
    @discardableResult
    public func write(_ name: String, _ contents: String) throws -> String {
        try write(name, Data(contents.utf8))
    }

    /// Removes the folder and its contents.
    public func remove() {
        try? FileManager.default.removeItem(at: url)
    }
}
