// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Bluebonnet
import BluebonnetTestServer
public import Foundation
import FoundationNetworking
import RealServers

/// One request of a case, and the answer that it must get.
public struct FaultRequest: Sendable {
    /// How a request ended.
    public enum Verdict: Sendable, Hashable {
        /// With exactly the right bytes.
        case right
        /// With an error that a network fault may cause.
        case failed(NetworkingError.Code)
        /// With an outcome that must not happen: success with other bytes, or any other error.
        case wrong(String)
    }

    /// The errors that faults between client and server may cause. A truncated response is a bad one.
    public static let codes: Set<NetworkingError.Code> = [
        .connectionLost, .timedOut, .cannotConnect, .secureConnectionFailed, .badServerResponse,
    ]
    /// The status codes with which servers answer a truncated request.
    private static let refusals = [400, 408]

    /// A name for messages.
    public let name: String
    /// The operation. Start it once.
    public let operation: HTTPRequestOperation
    private let check: @Sendable (HTTPRequestOperation) -> String?

    /// Makes a request.
    ///
    /// - Parameters:
    ///   - number: different numbers give different sizes and forms.
    ///   - file: the target of a download to a file.
    public init(
        _ work: FaultTarget.Work, _ number: Int, to target: FaultTarget, by manager: RequestOperationManager, file: URL
    ) {
        let byteCount = FaultTarget.sizes[number % FaultTarget.sizes.count]
        name = "\(work) of \(byteCount) bytes, number \(number)"
        switch work {
        case .memory, .file:
            let expected = target.body(byteCount: byteCount)
            operation = manager.operation("GET", target.baseURL + target.path(byteCount: byteCount))
            if work == .file { operation.outputFile = file }
            check = { operation in
                let found = work == .file ? FileManager.default.contents(atPath: file.path) : operation.responseData
                return found == expected ? nil : "\(found?.count ?? -1) bytes that are not the body"
            }
        case .data:
            let body = Self.text(byteCount: byteCount, number)
            operation = manager.operation(
                "POST", target.baseURL + target.uploadPath, body: .data(body, contentType: "text/plain"))
            check = { Self.fault(ofUpload: body, $0, target.server) }
        case .stream:
            let body = Self.text(byteCount: byteCount, number)
            // Without a length, the body is chunked. Applications under gunicorn do not receive chunked bodies.
            let hasLength = number % 2 == 1 || target.server == .httpbin
            operation = manager.operation(with: Self.streamed(body, to: target, hasLength: hasLength))
            check = { Self.fault(ofUpload: body, $0, target.server) }
        case .multipart:
            let body = Self.text(byteCount: byteCount, number)
            operation = manager.operation(
                "POST", target.baseURL + target.uploadPath,
                body: .multipart(["name": "value \(number)"]) { try $0.append(body, name: "file") })
            check = { Self.fault(ofForm: body, "value \(number)", $0, target.server) }
        }
    }

    /// The verdict on the ended operation.
    public var verdict: Verdict {
        switch operation.result {
        case .success?: check(operation).map { .wrong("\(name): \($0)") } ?? .right
        case .failure(let error)?: isOfFaults(error) ? .failed(error.code) : .wrong("\(name): \(error)")
        case nil: .wrong("\(name) has not ended")
        }
    }

    private func isOfFaults(_ error: NetworkingError) -> Bool {
        Self.codes.contains(error.code)
            || error.code == .unacceptableStatus && Self.refusals.contains(error.response?.statusCode ?? 0)
    }

    private static func streamed(_ body: Data, to target: FaultTarget, hasLength: Bool) -> URLRequest {
        guard let url = URL(string: target.baseURL + target.uploadPath) else { preconditionFailure("no URL") }
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        request.httpBodyStream = InputStream(data: body)
        request.setValue("text/plain", forHTTPHeaderField: "Content-Type")
        if hasLength { request.setValue("\(body.count)", forHTTPHeaderField: "Content-Length") }
        return request
    }

    private static func text(byteCount: Int, _ number: Int) -> Data {
        Data((0..<byteCount).map { UInt8(ascii: "A") + UInt8(($0 &* 7 &+ $0 / 26 &+ number) % 26) })
    }

    /// How the server's answer about an upload is wrong; nil if it is right.
    private static func fault(ofUpload body: Data, _ operation: HTTPRequestOperation, _ server: FaultTarget.Server)
        -> String?
    {
        let told = operation.responseData ?? Data()
        let isRight =
            switch server {
            case .nginx: told == Data("received".utf8)
            case .h2: told == Data("ok".utf8)
            case .httpbin: object(told)["data"] as? String == String(decoding: body, as: UTF8.self)
            case .hypercorn: object(told)["sha256"] as? String == sha256(body)
            }
        return isRight ? nil : "the server got something else: \(String(decoding: told.prefix(200), as: UTF8.self))"
    }

    private static func fault(
        ofForm body: Data, _ value: String, _ operation: HTTPRequestOperation, _ server: FaultTarget.Server
    ) -> String? {
        let told = operation.responseData ?? Data()
        let isRight =
            switch server {
            case .nginx: told == Data("received".utf8)
            case .h2: told == Data("ok".utf8)
            case .httpbin:
                object(told)["form"] as? [String: String] == [
                    "name": value, "file": String(decoding: body, as: UTF8.self),
                ]
            case .hypercorn:
                object(told)["parts"] as? [String: String] == [
                    "name": sha256(Data(value.utf8)), "file": sha256(body),
                ]
            }
        return isRight ? nil : "the server got another form: \(String(decoding: told.prefix(200), as: UTF8.self))"
    }

    private static func object(_ data: Data) -> [String: Any] {
        (try? JSONSerialization.jsonObject(with: data)) as? [String: Any] ?? [:]
    }
}
