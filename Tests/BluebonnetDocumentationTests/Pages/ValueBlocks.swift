// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetBatch
import BluebonnetImage
import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

// The comments of serializers, policies and other values.
extension PageTests {
    private struct User: Codable, Sendable { var name: String }

    @Test func commentsOfPoliciesRun() throws {
        let manager = RequestOperationManager()
        let (firstPin, secondPin) = (pin(1), pin(2))
        // BLOCK SecurityPolicy.swift
        // where firstPin is "sha256/…"
        // where secondPin is "sha256/…"
        let pins = try PinSet(keys: [firstPin], backupKeys: [secondPin])
        manager.securityPolicy = try SecurityPolicy(pinningMode: .publicKey, pins: pins)
        // END
        let pinned = manager.securityPolicy
        // BLOCK SecurityPolicyTable.swift
        manager.securityPolicy.hosts = try SecurityPolicyTable(["api.example.com": pinned, "*.example.com": .default])
        // END
        #expect(manager.securityPolicy.policy(forHost: "api.example.com") == pinned)
    }

    @Test func commentOfPathsRuns() throws {
        let document: JSONValue = ["data": [["id": 7], ["id": 8]]]
        // BLOCK JSONPath.swift
        let path = try JSONPath("$.data[*].id")
        let ids = try path.values(in: document)
        // END
        #expect(ids == [7, 8])
    }

    private func pin(_ byte: UInt8) -> String {
        "sha256/" + Data(repeating: byte, count: 32).base64EncodedString()
    }

    @Test func commentsOfReachabilityAndTuningRun() async {
        printed.update { $0 = [] }
        // BLOCK NetworkReachabilityManager.swift
        // where "127.0.0.1" is "example.com"
        let manager = NetworkReachabilityManager(domain: "127.0.0.1")
        manager.setReachabilityStatusChangeBlock { print($0.localizedDescription) }
        manager.startMonitoring()
        // END
        await printed.becomes { !$0.isEmpty }
        manager.stopMonitoring()
        let tuning = Tuning.current
        defer { Tuning.current = tuning }
        // BLOCK Tuning.swift
        Tuning.current.remove(.busyPolling)
        // END
        #expect(!Tuning.current.contains(.busyPolling))
    }

    @Test func commentsOfRequestSerializersRun() async throws {
        try await Site.serving { site in
            let (url, picture) = (site.server.url("/v1/users"), site.file("photo.jpg"))
            // BLOCK HTTPRequestSerializer.swift
            var serializer = HTTPRequestSerializer()
            serializer.setAuthorization(user: "ada", password: "secret")
            let request = try serializer.request(method: "GET", url: url, parameters: ["page": 2])
            // END
            try await site.manager.run(site.manager.operation(with: request))
            #expect(site.server.history.requests.first?.target == "/v1/users?page=2")
            try await sendForm(with: serializer, url, picture, site)
        }
    }

    private func sendForm(with serializer: HTTPRequestSerializer, _ url: URL, _ picture: URL, _ site: Site) async throws
    {
        // BLOCK MultipartFormData.swift
        let request = try serializer.multipartRequest(url: url, parameters: ["album": "Lisbon"]) { form in
            try form.append(fileAt: picture, name: "photo")
        }
        // END
        try await site.manager.run(site.manager.operation(with: request))
        #expect(site.server.history.requests.last?.bodyText.contains("photo.jpg") == true)
    }

    @Test func commentsOfResponseSerializersRun() async throws {
        try await Site.serving { site in
            let (manager, request) = (site.manager, URLRequest(url: site.server.url("/v1/me")))
            // BLOCK DecodableResponseSerializer.swift
            let serializer = DecodableResponseSerializer(User.self)
            let operation = manager.operation(with: request, responseSerializer: serializer)
            let user = try await manager.run(RequestHandle(operation, as: User.self))
            // END
            #expect(user.name == "Ada")
            let url = site.server.url("/v1/export.csv")
            // BLOCK ResponseSerializer.swift
            struct CSVSerializer: ResponseSerializer {
                var validation = ResponseValidation(acceptableContentTypes: ["text/csv"])

                func value(for response: ResponseHead, body: Data) throws -> [[Substring]] {
                    guard let text = response.text(of: body) else {
                        throw NetworkingError(.cannotParseResponse, "no text")
                    }
                    return text.split(separator: "\n").map { $0.split(separator: ",") }
                }
            }
            // END
            // BLOCK ResponseHead.swift
            let head = ResponseHead(url: url, statusCode: 200, headers: ["Content-Type": "text/csv; charset=utf-8"])
            let rows = try CSVSerializer().value(for: head, body: Data("a,b".utf8))  // a serializer in a test
            // END
            #expect(rows == [["a", "b"]])
        }
    }

    @Test func commentsOfLinesAndFieldsRun() async throws {
        // BLOCK RequestLine.swift
        var line = RequestLine(id: "me", url: "https://api.example.com/me")
        line.headers["Authorization"] = "Bearer ${login.body.token}"
        line.timeout = 10
        // END
        #expect(line.headers.count == 1)
        try await Site.serving { site in
            let operation = site.manager.operation("GET", "me")
            try await site.manager.run(operation)
            // BLOCK HeaderFields.swift
            var headers: HeaderFields = ["Accept": "text/html", "X-Request-ID": "42"]
            headers["accept-language"] = "en"  // names are compared without regard to case
            headers["X-Request-ID"] = nil  // removes the field
            headers.add(name: "Link", value: "</style.css>; rel=preload")
            for cookie in operation.responseHeaders.values(for: "Set-Cookie") { print(cookie) }
            // END
            #expect(headers.map(\.name) == ["Accept", "accept-language", "Link"])
        }
    }

    @Test func commentsOfImagesRun() async throws {
        try await Site.serving { site in
            let url = site.server.url("/v1/picture")
            // BLOCK ImageDownloader.swift
            let image = try await ImageDownloader.shared.image(for: url)
            // END
            #expect(image.width == 1)
        }
    }
}
