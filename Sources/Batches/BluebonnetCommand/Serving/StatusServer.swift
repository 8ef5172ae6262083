// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetServing
import Foundation

/// Serves a status page, and the state that it shows.
final class StatusServer: Sendable {
    private let responder: Responder
    private let topics: AsyncStream<Set<String>>.Continuation

    /// The URL of the page.
    var url: String { "http://\(responder.address)/" }

    /// - Throws: an error if the address cannot be used, or if the token cannot be read.
    init(
        _ options: ServeOptions, on address: ServingAddress, _ source: any StatusSource
    ) throws(CommandError) {
        let access = try options.access()
        let (sets, topics) = AsyncStream<Set<String>>.makeStream()
        self.topics = topics
        do throws(ServingError) {
            responder = try Responder(on: address, access: access, onTopics: { topics.yield($0) }, reply: Self.reply)
        } catch {
            throw CommandError(error)
        }
        let poller = StatusPoller(source) { [responder] data, topic in responder.publish(data, topic: topic) }
        Task { for await set in sets { await poller.watch(set) } }
    }

    private static func reply(_ request: ServedRequest) -> ServedReply {
        let topic = request.query["batch"] ?? ""
        switch request.path {
        case "/": return .response(StatusPage.response())
        case "/events": return .events(topic: topic)
        case "/status.json":
            return .next(topic: topic) { ServedResponse(contentType: "application/json", body: $0 + [0x0A]) }
        default: return .response(ServedResponse(status: 404, text: "there is /, /events and /status.json"))
        }
    }

    /// Ends the server, and the reading of the state.
    func stop() {
        responder.stop()
        topics.finish()
    }
}
