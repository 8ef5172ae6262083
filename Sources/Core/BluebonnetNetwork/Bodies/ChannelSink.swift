// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Dispatch
package import Foundation

/// The consumer of a streamed response body.
package enum StreamOutput: Sendable {
    /// A pipe that the program iterates over.
    case chunks(BodyPipe)
    case stream(QueueBound<OutputStream>)
    case device(DeviceFile)
}

/// The sink for a consumer that takes a body in pieces: a sequence of chunks, an output stream or a device. Network
/// thread only. Pushed bytes cannot be taken back, so such a body never starts over after its first byte.
package final class ChannelSink: BodySink {
    /// The limit of pending bytes for an output stream or a device.
    private static let streamCapacity = 256 * 1024

    private let pipe: BodyPipe
    private let drain: BodyDrain?
    package private(set) var byteCount: Int64 = 0

    package init(_ output: StreamOutput) {
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

    package var byteLimit: Int? { nil }
    package func requestCapacity() -> Bool { pipe.requestCapacity() }
    package var closesLater: Bool { drain != nil }

    /// - Parameter consumerCancelled: called when the consumer has stopped or failed before the end.
    package func listen(sinkBecameWritable: (() -> Void)?, consumerCancelled: (() -> Void)?) {
        pipe.whenWoken { [pipe] in
            if pipe.readerEnd == nil {
                sinkBecameWritable?()
            } else {
                pipe.whenWoken(nil)
                if pipe.writerEnd == nil { consumerCancelled?() }
            }
        }
    }

    package func write(_ bytes: UnsafeRawBufferPointer) throws(NetworkingError) {
        pipe.write(Data(bytes))
        byteCount += Int64(bytes.count)
    }

    package func truncate() throws(NetworkingError) {
        guard byteCount > 0 else { return }
        throw NetworkingError(
            .resumeRefused,
            "the body cannot restart: \(byteCount) bytes of it were already delivered")
    }

    /// The error with which writing to the stream or device failed; nil otherwise.
    package var failure: NetworkingError? { drain?.failure }

    /// Drops the pending bytes after the operation has failed, and closes an output stream.
    package func abandon() {
        pipe.whenWoken(nil)
        drain?.discard()
    }

    package func close(then action: @escaping (NetworkingError?) -> Void) {
        guard let drain else { return action(nil) }
        drain.close(then: action)
    }
}

extension QueueBound<OutputStream> {
    /// Writes the whole piece, or throws. On the stream's queue only.
    fileprivate func write(_ chunk: Data) throws(NetworkingError) {
        var rest = chunk
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { bytes in
                bytes.bindMemory(to: UInt8.self).baseAddress.map { value.write($0, maxLength: bytes.count) } ?? 0
            }
            guard count > 0 else {
                let reason = value.errorIfAny
                let fault = count == 0 ? "it is full" : reason.map { "\($0)" } ?? "unknown reason"
                throw NetworkingError(
                    .cannotWriteFile, "cannot write the body to the output stream: \(fault)", underlying: reason)
            }
            rest = rest.dropFirst(count)
        }
    }
}
