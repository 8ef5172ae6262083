// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// What an operation was given besides its request, as it counts from the start on. A value, copied out of the
/// operation's state then.
struct OperationParts: Sendable {
    var options: ResolvedOptions
    var extras: (any RequestExtras)?
    var streamOutput: StreamOutput?
    /// Nil where there are none, as mostly.
    var blocks: Box<ExchangeBlocks>?

    var uploadFile: URL? { extras?.uploadFile }
    var outputFile: URL? { extras?.outputFile }
    var outputDirectory: OutputDirectory { extras?.outputDirectory ?? OutputDirectory() }
    /// The request's body stream belongs to another operation too: one that can be made anew is.
    var needsNewBodyStream: Bool { extras?.needsNewBodyStream == true }
    var continuation: ArchivedPart? { extras?.continuation }
}

/// What few operations were given besides their request. An object that never changes.
protocol RequestExtras: AnyObject, Sendable {
    var uploadFile: URL? { get }
    var outputFile: URL? { get }
    var outputDirectory: OutputDirectory { get }
    /// It is a copy: its request's body stream is another operation's too.
    var needsNewBodyStream: Bool { get }
    /// What an archive brought of the body.
    var continuation: ArchivedPart? { get }
}
