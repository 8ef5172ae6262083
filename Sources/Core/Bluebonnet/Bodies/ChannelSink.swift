// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Dispatch
internal import Foundation

/// The consumer of a streamed response body.
enum StreamOutput: Sendable {
    /// Somebody iterates over the pipe.
    case chunks(BodyPipe)
    case stream(QueueBound<OutputStream>)
    case device(DeviceFile)
}

/// The sink for a consumer that takes a body piece by piece: a sequence of chunks, an output stream or a device.
/// Network thread only. Bytes that were pushed cannot be taken back, so such a body never starts again once it has
/// begun.
final class ChannelSink: BodySink {
    /// How many bytes may wait for an output stream.
    private static let streamCapacity = 256 * 1024

    private let pipe: BodyPipe
    private let drain: BodyDrain?
    private(set) var byteCount: Int64 = 0

    init(_ output: StreamOutput) {
        switch output {
        case .chunks(let pipe): (self.pipe, drain) = (pipe, nil)
        case .stream(let stream):
            let drain = BodyDrain(capacity: Self.streamCapacity, on: stream.queue) { chunk, _ throws(NetworkingError) in
                try stream.write(chunk)
            } end: {
                stream.value.close()
            }
            (pipe, self.drain) = (drain.pipe, drain)
            stream.queue.async { if stream.value.streamStatus == .notOpen { stream.value.open() } }
        case .device(let device):
            let queue = DispatchQueue(label: "org.bluebonnet.writing.device")
            let drain = BodyDrain(capacity: Self.streamCapacity, on: queue) { chunk, _ throws(NetworkingError) in
                try device.append(chunk)
            }
            (pipe, self.drain) = (drain.pipe, drain)
        }
    }

    var byteLimit: Int? { nil }
    var hasRoom: Bool { pipe.hasRoom() }
    var closesLater: Bool { drain != nil }

    /// - Parameter consumerLeft: called when the consumer has gone or failed before the end.
    func listen(roomAppeared: (() -> Void)?, consumerLeft: (() -> Void)?) {
        pipe.whenWoken { [pipe] in
            if pipe.closing == nil {
                roomAppeared?()
            } else {
                pipe.whenWoken(nil)
                if pipe.end == nil { consumerLeft?() }
            }
        }
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(NetworkingError) {
        pipe.write(Data(bytes))
        byteCount += Int64(bytes.count)
    }

    func truncate() throws(NetworkingError) {
        guard byteCount > 0 else { return }
        throw NetworkingError(
            .resumeRefused,
            "the body would have to start again, but \(byteCount) bytes of it were given away already")
    }

    /// Why the consumer takes no more bytes.
    var failure: NetworkingError? { drain?.failure }

    /// The operation failed: an output stream is closed without what it has not taken yet.
    func abandon() {
        pipe.whenWoken(nil)
        drain?.discard()
    }

    func close(then action: @escaping (NetworkingError?) -> Void) {
        guard let drain else { return action(nil) }
        drain.close(then: action)
    }
}

extension QueueBound<OutputStream> {
    /// Writes a piece: all of it, or throws. On its queue.
    fileprivate func write(_ chunk: Data) throws(NetworkingError) {
        var rest = chunk
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { bytes in
                bytes.bindMemory(to: UInt8.self).baseAddress.map { value.write($0, maxLength: bytes.count) } ?? 0
            }
            guard count > 0 else {
                let reason = value.errorIfAny
                let fault = count == 0 ? "it has no room left" : reason.map { "\($0)" } ?? "it does not say why"
                throw NetworkingError(
                    .cannotWriteFile, "the output stream did not take the body: \(fault)", underlying: reason)
            }
            rest = rest.dropFirst(count)
        }
    }
}
