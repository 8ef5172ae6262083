// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Dispatch
public import Foundation

/// Chromium without a window, driven through its DevTools protocol over pipes. The calls wait for Chromium on a queue.
public actor Chromium {
    /// Whether Chromium is installed. If not, prints so once on standard error.
    public static let isAvailable = Availability.decide(
        "Chromium", missing: ChildProcess.find("chromium") == nil ? "chromium is not installed" : nil)

    /// The color scheme that the page's media queries see.
    public enum ColorScheme: String, Sendable, CaseIterable {
        case light
        case dark
    }

    /// Runs the actor's calls on a queue that may block.
    private final class Executor: SerialExecutor {
        private let queue = DispatchQueue(label: "chromium")

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
        }
    }

    private let executor = Executor()
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    private let process = Process()
    private let folder: TemporaryFolder
    private let (commands, answers) = (Pipe(), Pipe())
    private var received = Data()
    private var lastNumber = 0
    private var session: String?
    /// What the page has complained about: exceptions, the console, refused resources.
    public private(set) var complaints: [String] = []

    /// Starts Chromium with an empty page.
    public static func start() async throws -> Chromium {
        let chromium = Chromium(try TemporaryFolder())
        try await chromium.launch()
        return chromium
    }

    private init(_ folder: TemporaryFolder) { self.folder = folder }

    private func launch() throws {
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        // Chromium reads commands from descriptor 3 and writes to descriptor 4.
        let command = """
            exec chromium --headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run \
            --remote-debugging-pipe --user-data-dir="$0" 3<&0 4>&1 </dev/null >/dev/null 2>&1
            """
        process.arguments = ["-c", command, folder.url.path]
        process.standardInput = commands
        process.standardOutput = answers
        try process.run()
        let target = try call("Target.createTarget", ["url": "about:blank"])["targetId"] as? String ?? ""
        session = try call("Target.attachToTarget", ["targetId": target, "flatten": true])["sessionId"] as? String
        for domain in ["Page", "Runtime", "Log"] { try call("\(domain).enable") }
    }

    /// Ends Chromium.
    public func stop() {
        process.terminate()
        process.waitUntilExit()
        folder.remove()
    }

    /// Calls a method of the protocol, and returns its result.
    @discardableResult
    private func call(_ method: String, _ parameters: [String: Any] = [:]) throws -> [String: Any] {
        lastNumber += 1
        var message: [String: Any] = ["id": lastNumber, "method": method, "params": parameters]
        if let session { message["sessionId"] = session }
        try commands.fileHandleForWriting.write(contentsOf: JSONSerialization.data(withJSONObject: message) + [0])
        while true {
            let answer = try nextMessage()
            guard answer["id"] as? Int == lastNumber else {
                record(answer)
                continue
            }
            if let error = answer["error"] { throw TestServerError("\(method): \(error)") }
            return answer["result"] as? [String: Any] ?? [:]
        }
    }

    private func nextMessage() throws -> [String: Any] {
        while true {
            if let end = received.firstIndex(of: 0) {
                let message = Data(received[..<end])
                received = Data(received[received.index(after: end)...])
                return try JSONSerialization.jsonObject(with: message) as? [String: Any] ?? [:]
            }
            let more = answers.fileHandleForReading.availableData
            guard !more.isEmpty else { throw TestServerError("Chromium has ended") }
            received += more
        }
    }

    private func record(_ event: [String: Any]) {
        guard let method = event["method"] as? String,
            ["Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded"].contains(method)
        else { return }
        complaints.append("\(method): \(event["params"] ?? "")")
    }

    /// Opens a page in a window of a size.
    public func open(_ url: String, width: Int, height: Int = 800, _ scheme: ColorScheme = .light) throws {
        try call(
            "Emulation.setDeviceMetricsOverride",
            ["width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600])
        try call(
            "Emulation.setEmulatedMedia", ["features": [["name": "prefers-color-scheme", "value": scheme.rawValue]]])
        try call("Page.navigate", ["url": "about:blank"])
        try call("Page.navigate", ["url": url])
    }

    /// Evaluates an expression in the page, and returns its value as text.
    public func text(_ expression: String) throws -> String {
        let answer = try call(
            "Runtime.evaluate", ["expression": "String(\(expression))", "returnByValue": true])
        if let details = answer["exceptionDetails"] { throw TestServerError("\(expression): \(details)") }
        return (answer["result"] as? [String: Any])?["value"] as? String ?? ""
    }

    /// Waits until an expression is true in the page.
    public func wait(until expression: String) throws {
        let safe = "(() => { try { return Boolean(\(expression)); } catch { return false; } })()"
        while try text(safe) != "true" { Thread.sleep(forTimeInterval: 0.02) }
    }

    /// Presses a key with a name such as `Tab` or `Enter`.
    public func press(_ key: String) throws {
        let codes = ["Tab": 9, "Enter": 13, " ": 32]
        var parameters: [String: Any] = ["key": key, "code": key, "windowsVirtualKeyCode": codes[key] ?? 0]
        if key == "Enter" { parameters["text"] = "\r" }
        try call("Input.dispatchKeyEvent", parameters.merging(["type": "keyDown"]) { _, new in new })
        try call("Input.dispatchKeyEvent", parameters.merging(["type": "keyUp"]) { _, new in new })
    }

    /// The elements that a screen reader finds, as role and name.
    public func accessibleElements() throws -> [(role: String, name: String)] {
        let nodes = try call("Accessibility.getFullAXTree")["nodes"] as? [[String: Any]] ?? []
        return nodes.map { node in
            let texts = ["role", "name"].map { (node[$0] as? [String: Any])?["value"] as? String ?? "" }
            return (texts[0], texts[1])
        }
    }

    /// Takes a picture of the whole page, as a PNG file.
    public func screenshot() throws -> Data {
        let answer = try call("Page.captureScreenshot", ["format": "png", "captureBeyondViewport": true])
        return Data(base64Encoded: answer["data"] as? String ?? "") ?? Data()
    }
}
