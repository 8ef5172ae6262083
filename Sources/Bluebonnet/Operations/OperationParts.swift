// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// What an operation was given besides its request, as it counts from the start on. A value, copied out of the
/// operation's state then.
struct OperationParts: Sendable {
    var options: SharedOptions
    var extras: SharedValue<OperationExtras>?
    var streamOutput: StreamOutput?

    var uploadFile: URL? { extras?.value.uploadFile }
    var outputFile: URL? { extras?.value.outputFile }
    var outputDirectory: OutputDirectory { extras?.value.outputDirectory ?? OutputDirectory() }
    var blocks: OperationBlocks { extras?.value.blocks ?? OperationBlocks() }
    /// The request's body stream belongs to another operation too: one that can be made anew is.
    var needsNewBodyStream: Bool { extras?.value.needsNewBodyStream == true }
    var continuation: ArchivedPart? { extras?.value.continuation }
}

extension RequestOperationState {
    /// The parts in force.
    var parts: OperationParts {
        OperationParts(options: sharedOptions, extras: sharedExtras, streamOutput: sharedExtras?.value.streamOutput)
    }
}

extension OperationExtras {
    fileprivate var streamOutput: StreamOutput? {
        if let chunkChannel { return StreamOutput(channel: chunkChannel, stream: nil) }
        return outputStream.map {
            StreamOutput(channel: BodyChannel(capacity: StreamOutput.streamCapacity), stream: $0)
        }
    }
}
