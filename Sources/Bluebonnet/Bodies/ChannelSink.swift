// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// The sink for a consumer that takes a body piece by piece: a sequence of chunks, or an output stream. Network thread
/// only. Bytes that were pushed cannot be taken back, so such a body never starts again once it has begun.
final class ChannelSink: BodySink {
    private let channel: BodyChannel
    private let writer: OutputStreamWriter?
    private(set) var byteCount: Int64 = 0

    init(_ output: StreamOutput) {
        channel = output.channel
        writer = output.stream.map { OutputStreamWriter($0, output.channel) }
        writer?.begin()
    }

    var byteLimit: Int? { nil }
    var hasRoom: Bool { channel.hasRoom() }
    var closesLater: Bool { writer != nil }

    func write(_ bytes: UnsafeRawBufferPointer) throws(NetworkingError) {
        channel.push(Data(bytes))
        byteCount += Int64(bytes.count)
    }

    func truncate() throws(NetworkingError) {
        guard byteCount > 0 else { return }
        throw NetworkingError(
            .resumeRefused,
            "the body would have to start again, but \(byteCount) bytes of it were given away already")
    }

    /// Why the consumer takes no more bytes.
    var failure: NetworkingError? { writer?.failure }

    /// Drops what was not taken yet: the operation failed.
    func abandon() {
        channel.whenRoomAppears(nil)
        channel.whenAbandoned(nil)
        guard writer != nil else { return }
        channel.abandon()
        channel.finish(.complete)  // the writer closes its stream
    }

    func close(then action: @escaping (NetworkingError?) -> Void) {
        guard let writer else { return action(nil) }
        writer.close(then: action)
    }
}
