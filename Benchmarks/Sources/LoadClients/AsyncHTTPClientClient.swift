// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import AsyncHTTPClient
import Figures
import Foundation
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import NIOSSL

/// async-http-client with the same limit of connections as every client, in its async or its future form.
final class AsyncHTTPClientClient: LoadClient {
    private let client: HTTPClient
    private let usesFutures: Bool

    init(_ limits: ConnectionLimits, _ authorityFile: String?, usesFutures: Bool) throws {
        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = limits.perOrigin
        if let authorityFile {
            var tls = TLSConfiguration.makeClientConfiguration()
            tls.trustRoots = .file(authorityFile)
            configuration.tlsConfiguration = tls
        }
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        self.usesFutures = usesFutures
        // Retained until the process ends, and never shut down. async-http-client 1.37 ends a request when its answer
        // is complete. If the end of the request is sent only afterwards, as happens with POSTs, the connection is
        // returned later still, which traps if the client was shut down in between.
        _ = Unmanaged.passRetained(client)
    }

    func run(_ job: Job, _ ledger: Ledger) throws {
        let client = client
        guard usesFutures else {
            return Tasks.run(job, ledger) { number in
                do {
                    return try await AsyncForm.send(job, number, client)
                } catch {
                    return "\(error)"
                }
            }
        }
        for _ in 0..<job.chainCount { FutureForm.sendNext(job, client, ledger) }
        ledger.wait()
    }
}

// MARK: - Async

/// Sends one request with the async calls.
private enum AsyncForm {
    static func send(_ job: Job, _ number: Int, _ client: HTTPClient) async throws -> String? {
        let response = try await client.execute(try request(job, number), timeout: .minutes(10))
        let status = Int(response.status.code)
        if let file = job.outputFile(number) {
            return job.fault(status: status, byteCount: try await write(response.body, to: file))
        }
        let body = try await response.body.collect(upTo: .max)
        return try fault(job, number, status, body)
    }

    private static func request(_ job: Job, _ number: Int) throws -> HTTPClientRequest {
        let url: URL
        switch job.traffic {
        case .uniform(let only): url = only
        case .mixed(let plan): return MixedAsyncHTTPClient.request(plan.request(number))
        }
        var request = HTTPClientRequest(url: url.absoluteString)
        request.method = .RAW(value: job.method)
        switch job.body {
        case .none: break
        case .bytes(let data): request.body = .bytes(ByteBuffer(data: data))
        case .file(let file, let byteCount):
            request.body = .stream(try FileChunks(file), length: .known(byteCount))
        }
        return request
    }

    private static func write(_ body: HTTPClientResponse.Body, to file: URL) async throws -> Int64 {
        let output = try OutputFile(file)
        for try await var buffer in body { try output.write(&buffer) }
        return output.byteCount
    }

    static func fault(_ job: Job, _ number: Int, _ status: Int, _ body: ByteBuffer) throws -> String? {
        if case .mixed(let plan) = job.traffic, 200..<300 ~= status {
            guard try MixedAsyncHTTPClient.isDecoded(body, plan.decoding(number)) else { return Job.notDecoded }
        }
        if job.decodes { _ = try JSONDecoder().decode(Catalogue.self, from: body) }
        return job.fault(status: status, byteCount: Int64(body.readableBytes))
    }
}

/// A file as a sequence of buffers, read on demand.
private struct FileChunks: AsyncSequence, AsyncIteratorProtocol, Sendable {
    private let input: InputFile

    init(_ file: URL) throws { input = try InputFile(file) }

    func makeAsyncIterator() -> FileChunks { self }

    func next() async throws -> ByteBuffer? { try input.next() }
}

// MARK: - Futures

/// Sends a chain of requests with the calls that return futures.
private enum FutureForm {
    static func sendNext(_ job: Job, _ client: HTTPClient, _ ledger: Ledger) {
        guard let number = ledger.claim() else { return }
        let began = Moment.now
        let end: @Sendable (Result<String?, any Error>) -> Void = { result in
            switch result {
            case .success(let fault): ledger.end(number, began: began, fault: fault)
            case .failure(let error): ledger.end(number, began: began, fault: "\(error)")
            }
            sendNext(job, client, ledger)
        }
        do {
            try send(job, number, client).whenComplete(end)
        } catch {
            end(.failure(error))
        }
    }

    private static func send(_ job: Job, _ number: Int, _ client: HTTPClient) throws -> EventLoopFuture<String?> {
        let request = try request(job, number)
        if let file = job.outputFile(number) {
            let delegate = try FileDownloadDelegate(path: file.path)
            return client.execute(request: request, delegate: delegate).futureResult.map { progress in
                job.fault(status: 200, byteCount: Int64(progress.receivedBytes))
            }
        }
        return client.execute(request: request).flatMapThrowing { response in
            try AsyncForm.fault(job, number, Int(response.status.code), response.body ?? ByteBuffer())
        }
    }

    private static func request(_ job: Job, _ number: Int) throws -> HTTPClient.Request {
        switch job.traffic {
        case .uniform(let url):
            try HTTPClient.Request(
                url: url.absoluteString, method: .RAW(value: job.method), body: try body(job.body))
        case .mixed(let plan): try MixedAsyncHTTPClient.futureRequest(plan.request(number))
        }
    }

    private static func body(_ body: Job.Body) throws -> HTTPClient.Body? {
        switch body {
        case .none: return nil
        case .bytes(let data): return .byteBuffer(ByteBuffer(data: data))
        case .file: throw BenchmarkError("files are sent by the async form of async-http-client only")
        }
    }
}
