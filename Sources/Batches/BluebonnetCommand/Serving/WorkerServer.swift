// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
internal import BluebonnetFleet
import BluebonnetLocks
internal import BluebonnetServing

/// Serves `/metrics` and `/healthz` of a worker.
final class WorkerServer: Sendable {
    private let responder: Responder
    private let worker: Mutex<FleetWorker?>
    private let meter = WorkerMeter()
    private let client = ClientMeter()
    private let control: StopControl

    /// The URL of the metrics.
    var url: String { "http://\(responder.address)/metrics" }

    /// Listens; nil without the option. Until `observe` and `serve` are called, the worker is not healthy.
    ///
    /// - Throws: an error if the address or the token cannot be used.
    init?(_ options: ServeOptions, _ control: StopControl) throws(CommandError) {
        guard let address = options.serve else { return nil }
        let access = try options.access()
        let worker = ServerBox()
        do throws(ServingError) {
            responder = try Responder(on: address, access: access) { request in
                .response(worker.server.withLock { $0 }?.response(to: request.path) ?? Self.starting)
            }
        } catch {
            throw CommandError(error)
        }
        self.worker = Mutex(nil)
        self.control = control
        worker.server.withLock { $0 = self }
    }

    /// The server that answers the requests of the responder, which begins to listen first.
    private final class ServerBox: Sendable {
        let server = Mutex<WorkerServer?>(nil)
    }

    private static let starting = ServedResponse(status: 503, text: "starting")

    /// Makes a worker report its figures.
    func observe(_ configuration: inout FleetWorker.Configuration) {
        configuration.meter = meter
        configuration.transferOptions.eventMonitors.append(client)
    }

    /// Serves the figures of a worker.
    func serve(_ new: FleetWorker) { worker.withLock { $0 = new } }

    private func response(to path: String) -> ServedResponse {
        guard let worker = worker.withLock({ $0 }) else { return Self.starting }
        let (figures, problem) = (meter.figures, worker.summary.problem)
        switch path {
        case "/metrics":
            var text = OpenMetricsText()
            let metrics = WorkerMetrics(
                figures: figures, slotCount: worker.configuration.concurrency,
                isConnected: figures.lastAnswer != nil && problem == nil, now: .now)
            metrics.write(to: &text)
            client.write(to: &text)
            return ServedResponse(contentType: OpenMetricsText.contentType, body: Array(text.end.utf8))
        case "/healthz":
            let health = WorkerHealth(
                figures: figures, problem: problem?.description, isStopping: control.reason != nil,
                lease: worker.configuration.lease, now: .now)
            return ServedResponse(status: health.reason == nil ? 200 : 503, text: health.reason ?? "healthy")
        default: return ServedResponse(status: 404, text: "there is /metrics and /healthz")
        }
    }
}
