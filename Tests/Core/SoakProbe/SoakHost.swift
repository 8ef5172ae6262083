// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetTestServer
import FaultKit
import Foundation
import RealServers

/// Starts servers, proxies and the client, and stops them.
struct SoakHost {
    let seconds: Double
    let seed: UInt64

    /// Runs the soak test and returns the exit status.
    func run() async throws -> Int32 {
        say("soak: \(Int(seconds)) s, seed \(seed)")
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try FaultTarget.writeFiles(into: folder.url)
        let nginx = try await NginxServer.start(documentRoot: folder.url)
        let hypercorn = try await HypercornServer.start()
        let status: Int32
        do {
            status = try await run(in: folder, nginx, hypercorn)
        } catch {
            say("soak: \(error)")
            status = 2
        }
        await hypercorn.stop()
        await nginx.stop()
        return status
    }

    private func run(in folder: TemporaryFolder, _ nginx: NginxServer, _ hypercorn: HypercornServer) async throws
        -> Int32
    {
        let authority = try TestCertificate.localhost.caPath
        let kinds: [(FaultTarget.Server, Int, Bool, isOld: Bool)] = [
            (.nginx, nginx.port, false, true), (.nginx, nginx.tlsPort, true, true),
            (.nginx, nginx.tlsPort, true, false),
            (.hypercorn, hypercorn.port, false, true), (.hypercorn, hypercorn.tlsPort, true, true),
            (.hypercorn, hypercorn.tlsPort, true, false),
        ]
        var proxies: [FaultProxy] = []
        var targets: [FaultTarget] = []
        for (number, (server, port, hasTLS, isOld)) in kinds.enumerated() {
            let schedule = FaultSchedule(seed: seed &+ UInt64(number), limits: Self.limits)
            let proxy = try await FaultProxy.start(toPort: port, schedule: schedule)
            proxies.append(proxy)
            targets.append(
                FaultTarget(
                    server, port: proxy.port, authorityFile: hasTLS ? authority : nil,
                    httpVersion: isOld ? .http1 : .negotiated))
        }
        let place = SoakPlace(
            seconds: seconds, seed: seed, folder: folder.path("client"), targets: targets, canary: nginx.url("/tiny"),
            certificateFile: try TestCertificate.localhost.leafPath,
            otherCertificateFile: try TestCertificate.chained.leafPath)
        let placeFile = try folder.write("place", try JSONEncoder().encode(place))
        let status = try await client(placeFile)
        say("soak: \(proxies.map(\.connectionCount).reduce(0, +)) connections through proxies")
        for proxy in proxies { await proxy.stop() }
        return status
    }

    /// Limits that let enough connections live long enough for some requests to succeed.
    private static var limits: FaultSchedule.Limits {
        var limits = FaultSchedule.Limits()
        limits.faultyPercentage = 50
        limits.largestByteCount = 2_000_000
        return limits
    }

    /// Runs the client. A client that does not end in time is killed and counts as failed.
    private func client(_ placeFile: String) async throws -> Int32 {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["client", placeFile]
        let end = Observed<Int32?>(nil)
        process.terminationHandler = { process in
            let isSignal = process.terminationReason == .uncaughtSignal
            end.update { $0 = process.terminationStatus + (isSignal ? 128 : 0) }
        }
        try process.run()
        let limit = ContinuousClock.now + .seconds(seconds + 120)
        while end.value == nil, ContinuousClock.now < limit { try await Task.sleep(for: .milliseconds(100)) }
        if let status = end.value { return status }
        kill(process.processIdentifier, SIGKILL)
        say("soak: the client hung, and was killed")
        return 1
    }
}
