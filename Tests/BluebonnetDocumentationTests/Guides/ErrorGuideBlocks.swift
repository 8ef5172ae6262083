// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetTestServer
import BluebonnetTesting
import Foundation
import Testing

private struct OrderClient: Sendable {
    let manager: RequestOperationManager

    // BLOCK Errors.md
    func loadOrders() async -> JSONValue? {
        do {
            return try await manager.get("orders")
        } catch {
            switch error.code {
            case .cancelled: break
            case .unacceptableStatus: print("status", error.statusCode ?? 0)
            case .timedOut: print("time limit:", error.timeLimit ?? .total)
            default: print(error.isTransient ? "later:" : "never:", error)
            }
            return nil
        }
    }
    // END

    // BLOCK Errors.md
    struct Problem: Decodable { var title: String }  // RFC 9457

    func order() async {
        do {
            try await manager.post("orders", body: .json(["article": 7]))
        } catch {
            let problem = error.body.flatMap {
                try? JSONDecoder().decode(Problem.self, from: $0)
            }
            print(error.statusCode ?? 0, problem?.title ?? error.message)
        }
    }
    // END

    // BLOCK Errors.md
    func explain(_ error: NetworkingError) throws {
        for der in error.serverCertificates {
            let certificate = try ServerCertificate(der: der)
            print(certificate.subject, certificate.dnsNames)
            print(certificate.validUntil)
        }
    }
    // END
}

private let base = URL(string: "https://api.example.com/v1/")!

extension PageTests {
    @Test func errorCodesSelectTheMessage() async {
        printed.update { $0 = [] }
        let failing = RequestOperationManager(baseURL: base) { _ in .status(503) }
        #expect(await OrderClient(manager: failing).loadOrders() == nil)
        let refused = RequestOperationManager(baseURL: base) { _ in .refused }
        #expect(await OrderClient(manager: refused).loadOrders() == nil)
        let working = RequestOperationManager(baseURL: base) { _ in .json(["a"]) }
        #expect(await OrderClient(manager: working).loadOrders() == ["a"])
        #expect(printed.value.first == "status 503")
        #expect(printed.value.last?.hasPrefix("later: cannotConnect: ") == true)
        #expect(printed.value.count == 2)
    }

    @Test func bodyOfRefusedResponseIsDecoded() async {
        printed.update { $0 = [] }
        let manager = RequestOperationManager(baseURL: base) { _ in .json(["title": "sold out"], status: 409) }
        await OrderClient(manager: manager).order()
        #expect(printed.value == ["409 sold out"])
    }

    @Test func completionHandlerReceivesTheError() async throws {
        printed.update { $0 = [] }
        let manager = RequestOperationManager(baseURL: base) { _ in .status(404) }
        let operation = manager.operation("GET", "orders")
        // BLOCK Errors.md
        operation.addCompletion { operation, result in
            if case .failure(let error) = result { print(error.code, error) }
        }
        // END
        manager.enqueue(operation)
        try await operation.waitUntilEnded()
        await printed.becomes { $0.first?.hasPrefix("unacceptableStatus unacceptableStatus: ") == true }
        let error = try #require(operation.error)
        printed.update { $0 = [] }
        // BLOCK Errors.md
        let failure = error.nsError
        print(failure.domain, failure.code, failure.localizedDescription)
        // END
        #expect(printed.value.first?.hasPrefix("com.alamofire.error.serialization.response -1011 ") == true)
    }

    @Test func certificatesOfRefusedServerArePrinted() async throws {
        try await Site.serving(tls: .selfSigned) { site in
            printed.update { $0 = [] }
            let operation = site.manager.operation("GET", "me")
            site.manager.enqueue(operation)
            try await operation.waitUntilEnded()
            let error = try #require(operation.error)
            #expect(error.code == .serverNotTrusted)
            try OrderClient(manager: site.manager).explain(error)
            #expect(printed.value.count == 2)
        }
    }
}
