// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import AsyncHTTPClient
import Comparison
import Foundation
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import NIOHTTPCompression
import NIOSSL
import Synchronization

/// async-http-client, with its async calls, and its delegate for downloads.
final class AsyncHTTPClientAttempt: AttemptClient {
    private let client: HTTPClient
    private let limits: Plan.Limits

    init(_ plan: Plan) {
        var configuration = HTTPClient.Configuration()
        configuration.timeout.connect = .seconds(Int64(plan.limits.connect))
        configuration.timeout.read = .seconds(Int64(plan.limits.idle))
        configuration.timeout.write = .seconds(Int64(plan.limits.idle))
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 64
        let limit = plan.requests.compactMap(\.bodyLimit).min()
        configuration.decompression = .enabled(limit: limit.map { .size($0) } ?? .none)
        if let file = plan.authorityFile {
            var tls = TLSConfiguration.makeClientConfiguration()
            tls.trustRoots = .file(file)
            configuration.tlsConfiguration = tls
        }
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        limits = plan.limits
    }

    func send(_ request: Plan.Request, _ index: Int) async -> Outcome {
        let work = Task { [self] in
            do {
                return Outcome.success(
                    index, status: request.downloads ? try await download(request) : try await get(request))
            } catch {
                return Outcome.failure(index, "\(error)")
            }
        }
        if let delay = request.cancelsAfter {
            Task {
                try? await Task.sleep(for: .milliseconds(delay))
                work.cancel()
            }
        }
        return await work.value
    }

    func shutDown() async { try? await client.shutdown() }

    private func get(_ request: Plan.Request) async throws -> Int {
        var own = HTTPClientRequest(url: request.url)
        own.method = .RAW(value: request.method)
        for field in request.fields { own.headers.add(name: field.name, value: field.value) }
        if let credential = request.credential {
            own.setBasicAuth(username: credential.user, password: credential.password)
        }
        if let data = try request.sentData { own.body = .bytes(ByteBuffer(data: data)) }
        if let file = request.sentFile {
            let count = try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? NSNumber
            own.body = .stream(FileChunks(file: file), length: .known(count?.int64Value ?? 0))
        }
        let response = try await client.execute(own, timeout: .seconds(Int64(limits.total)))
        let body = try await response.body.collect(upTo: request.bodyLimit ?? 1 << 30)
        try Data(buffer: body).write(to: request.output)
        return Int(response.status.code)
    }

    private func download(_ request: Plan.Request) async throws -> Int {
        let own = try HTTPClient.Request(url: request.url, method: .RAW(value: request.method))
        let status = Atomic(0)
        let delegate = try FileDownloadDelegate(path: request.outputFile) { (head: HTTPResponseHead) in
            status.store(Int(head.status.code), ordering: .relaxed)
        }
        let deadline = NIODeadline.now() + .seconds(Int64(limits.total))
        let task = client.execute(request: own, delegate: delegate, deadline: deadline)
        _ = try await withTaskCancellationHandler {
            try await task.get()
        } onCancel: {
            task.cancel()
        }
        return status.load(ordering: .relaxed)
    }
}

/// A file as a sequence of buffers that can be read more than once.
private struct FileChunks: AsyncSequence, Sendable {
    let file: URL

    struct AsyncIterator: AsyncIteratorProtocol {
        let handle: FileHandle

        mutating func next() async throws -> ByteBuffer? {
            guard let data = try handle.read(upToCount: 64 << 10), !data.isEmpty else { return nil }
            return ByteBuffer(data: data)
        }
    }

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(handle: FileHandle(forReadingAtPath: file.path) ?? .nullDevice)
    }
}
