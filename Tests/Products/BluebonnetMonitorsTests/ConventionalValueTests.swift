// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetMonitors
import Testing

@Suite struct ConventionalValueTests {
    @Test func unknownMethodsBecomeOther() {
        for method in ["CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "QUERY", "TRACE"] {
            #expect(ConventionalValue.method(method) == method)
        }
        for method in ["get", "PROPFIND", "", "GET "] { #expect(ConventionalValue.method(method) == "_OTHER") }
    }

    @Test func statusPrecedesTheCode() {
        #expect(ConventionalValue.errorType(nil, statusCode: 200) == nil)
        #expect(ConventionalValue.errorType(nil, statusCode: 404) == "404")
        #expect(ConventionalValue.errorType(.unacceptableStatus, statusCode: 503) == "503")
        #expect(ConventionalValue.errorType(.cannotParseResponse, statusCode: 200) == "cannotParseResponse")
        #expect(ConventionalValue.errorType(.timedOut, statusCode: nil) == "timedOut")
    }

    @Test func endOfHopNamesItsError() {
        func type(_ reason: RequestEvent.HopEnd.Reason, _ statusCode: Int? = nil) -> String? {
            ConventionalValue.errorType(RequestEvent.HopEnd(reason), statusCode: statusCode)
        }
        #expect(type(.complete, 200) == nil)
        #expect(type(.complete, 500) == "500")
        #expect(type(.paused, 200) == nil)
        #expect(type(.cancelled) == "cancelled")
        #expect(type(.restarted) == "restarted")
        #expect(type(.failed(.timedOut)) == "timedOut")
    }
}
