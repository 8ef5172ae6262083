// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import FlyingFox
import Foundation

// The resources for the examples of pipelines: a list in pages, and jobs that take a while.
extension DemoServer {
    /// The items of the shop, 20 to a page.
    static let pages = [
        Route("GET /items") { request in
            let page = request.query.first { $0.name == "page" }.flatMap { Int($0.value) } ?? 1
            guard (1...5).contains(page) else { return .missing }
            let items = (page * 20 - 19...page * 20).map { #"{"number":\#($0)}"# }.joined(separator: ",")
            var response = HTTPResponse.json(#"{"items":[\#(items)]}"#)
            if page < 5 { response.headers[HTTPHeader("Link")] = "</items?page=\(page + 1)>; rel=\"next\"" }
            return response
        }
    ]

    /// Jobs, each of which is done when its state was asked for three times.
    static func jobs() -> [Route] {
        let jobs = Jobs()
        return [
            Route("POST /jobs") { _ in .json(#"{"job":\#(await jobs.start())}"#, status: .accepted) },
            Route("GET /jobs/:number") { request in
                guard let state = await jobs.ask(Int(request.path.dropFirst("/jobs/".count)) ?? 0) else {
                    return .missing
                }
                return .json(state)
            },
        ]
    }

    private actor Jobs {
        private var askCounts: [Int: Int] = [:]

        func start() -> Int {
            askCounts[askCounts.count + 1] = 0
            return askCounts.count
        }

        func ask(_ job: Int) -> String? {
            guard let count = askCounts[job] else { return nil }
            askCounts[job] = count + 1
            return count < 2 ? #"{"state":"running"}"# : #"{"state":"done","result":"catalogue"}"#
        }
    }
}
