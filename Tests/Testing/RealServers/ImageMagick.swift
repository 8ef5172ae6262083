// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import BluebonnetTestServer

/// The program that makes images for tests.
public enum ImageMagick {
    /// Whether ImageMagick is installed. If not, prints so once on standard error.
    public static let isAvailable = Availability.decide(
        "ImageMagick", missing: ChildProcess.find("convert") == nil ? "convert is not installed" : nil)

    /// Runs `convert` to its end.
    public static func convert(_ arguments: [String], in folder: TemporaryFolder) throws {
        try ChildProcess.run(["convert"] + arguments, in: folder)
    }
}
