// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

@Suite struct ResponseValidationTests {
    private func code(_ types: Set<String>?, status: Int = 200, _ type: String?, isEmpty: Bool = false)
        -> NetworkingError.Code?
    {
        ResponseValidation(acceptableContentTypes: types).refusal(
            status: status, contentType: type, bodyIsEmpty: isEmpty)?.code
    }

    @Test func typesAreComparedWithoutParametersAndCase() {
        #expect(code(["Text/Plain"], "text/PLAIN; charset=utf-8") == nil)
        #expect(code(["text/plain"], " text/plain ;a=b") == nil)
        #expect(code(["text/plain"], "text/plainer") == .unacceptableContentType)
    }

    @Test func typesSetLaterAreComparedWithoutCase() {
        var validation = ResponseValidation()
        validation.acceptableContentTypes = ["Text/Plain"]
        #expect(validation.refusal(status: 200, contentType: "text/plain", bodyIsEmpty: false) == nil)
    }

    @Test func starMatchesAnySubtypeOrEveryType() {
        #expect(code(["image/*"], "image/png") == nil)
        #expect(code(["image/*"], "image/") == .unacceptableContentType)
        #expect(code(["image/*"], "images/png") == .unacceptableContentType)
        #expect(code(["*/*"], "a/b") == .unacceptableContentType)
        #expect(code(["*"], "a/b") == nil)
        #expect(code(["a/x*x"], "a/x") == .unacceptableContentType)
    }

    @Test func missingTypeIsAcceptedOnlyWithoutABody() {
        #expect(code(["a/b"], nil, isEmpty: true) == nil)
        #expect(code(["a/b"], nil) == .unacceptableContentType)
        #expect(code(["a/b"], "c/d", isEmpty: true) == .unacceptableContentType)
        #expect(code(nil, nil) == nil)
    }

    @Test func repeatedTypeIsRefusedWithAMessage() {
        let refusal = ResponseValidation(acceptableContentTypes: ["application/json"]).refusal(
            status: 200, contentType: "application/json; a=\"x\", application/json", bodyIsEmpty: false)
        #expect(
            refusal?.message
                == "the response has several content types, so none applies: "
                + "application/json; a=\"x\", application/json")
        #expect(code(["a/b"], "a/b; c=\"d,e\"") == nil)
        #expect(code(nil, "a/b, a/b") == nil)
    }

    @Test func programCanValidateAResponse() throws {
        let url = try #require(URL(string: "http://h/"))
        func validate(_ status: Int, _ fields: [String: String], body: String = "x") throws(NetworkingError) {
            let response = ResponseHead(url: url, statusCode: status, headers: HeaderFields(fields))
            try ResponseValidation(acceptableContentTypes: ["a/b"]).validate(response, body: Data(body.utf8))
        }
        try validate(200, ["Content-Type": "a/b"])
        try validate(204, ["Content-Type": "c/d"], body: "")
        try validate(200, ["Content-Type": "c/d", "Content-Length": "9"], body: "")
        let type = #expect(throws: NetworkingError.self) { try validate(200, ["Content-Type": "c/d"]) }
        #expect(type?.code == .unacceptableContentType)
        #expect(type?.response?.statusCode == 200 && type?.body == Data("x".utf8))
        let both = #expect(throws: NetworkingError.self) { try validate(500, ["Content-Type": "c/d"]) }
        #expect(both?.code == .unacceptableStatus)
        #expect((both?.underlying as? NetworkingError)?.code == .unacceptableContentType)
        let empty = #expect(throws: NetworkingError.self) { try validate(200, ["Content-Type": "c/d"], body: "") }
        #expect(empty?.code == .unacceptableContentType)
    }

    @Test func statusIsReportedBeforeTheType() {
        #expect(code(["a/b"], status: 500, "c/d") == .unacceptableStatus)
    }

    @Test func anyStatusIsAcceptedWithoutCodes() {
        let validation = ResponseValidation(acceptableStatusCodes: nil)
        #expect(validation.accepts(status: 599))
        #expect(validation.refusal(status: 404, contentType: nil, bodyIsEmpty: false) == nil)
    }
}
