// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// What an operation was given besides its request, as it counts from the start on. A value, copied out of the
/// operation's state then.
struct OperationParts: Sendable {
    var options: TransferOptions
    var uploadFile: URL?
    var outputFile: URL?
    var outputDirectory = OutputDirectory()
    var streamOutput: StreamOutput?
    var blocks = OperationBlocks()
    /// The request's body stream belongs to another operation too: one that can be made anew is.
    var needsNewBodyStream = false
    var continuation: ArchivedPart?
}

extension RequestOperationState {
    /// The parts in force.
    var parts: OperationParts {
        OperationParts(
            options: options, uploadFile: uploadFile, outputFile: outputFile, outputDirectory: outputDirectory,
            streamOutput: streamOutput,
            blocks: blocks, needsNewBodyStream: needsNewBodyStream, continuation: continuation)
    }

    private var streamOutput: StreamOutput? {
        if let chunkChannel { return StreamOutput(channel: chunkChannel, stream: nil) }
        return outputStream.map {
            StreamOutput(channel: BodyChannel(capacity: StreamOutput.streamCapacity), stream: $0)
        }
    }
}
