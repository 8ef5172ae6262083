// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import Foundation
import FoundationNetworking
import Testing

/// The snippets of the pages about sessions, as they stand there: each line of a page is here, and compiles.
@Suite(.timeLimit(.minutes(1))) struct SessionPagesTests {
    private static let pages = ["Sessions", "MigratingFromAFNetworking3And4"]

    @Test(arguments: pages)
    func snippetOfAPageIsInThisFile(name: String) throws {
        let folder = StyleTests.root.appendingPathComponent("Sources/Bluebonnet/Bluebonnet.docc")
        let page = try String(contentsOf: folder.appendingPathComponent(name + ".md"), encoding: .utf8)
        let here = try String(contentsOfFile: #filePath, encoding: .utf8)
        let lines = Set(here.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) })
        let blocks = page.components(separatedBy: "```swift\n").dropFirst()
        #expect(blocks.count > 3)
        for block in blocks {
            let code = block.components(separatedBy: "```")[0]
            for line in code.split(separator: "\n").map({ $0.trimmingCharacters(in: .whitespaces) })
            where !line.hasPrefix("//") {
                #expect(lines.contains(line), "\(name)")
            }
        }
    }

    private func sessions(_ request: URLRequest, _ folder: URL) async throws {
        let manager = SessionManager()
        let task = manager.dataTask(with: request) { response, object, error in
            print(response?.statusCode ?? 0, object ?? error ?? "nothing")
        }
        task.resume()

        let response = try await manager.data(for: request)
        print(response.statusCode, response.value)

        let api = HTTPSessionManager(baseURL: URL(string: "https://api.example.com/v1/"))
        api.get("me") { task, object in
            print(object)
        } failure: { task, error in
            print(error)
        }
        let created = try await api.post("users", parameters: ["name": "Ada"])
        print(created.statusCode)

        manager.blocks.taskDidComplete = { task, error in print(task.taskIdentifier, error?.message ?? "done") }

        // swift-format-ignore
        let download = manager.downloadTask(
            with: request, progress: { print($0.fractionCompleted) }, destination: { _, response in
                folder.appendingPathComponent(response.suggestedFileName)
            }
        ) { response, file, error in
            print(file?.path ?? error?.message ?? "")
        }
        download.resume()

        let resumeData = await download.cancelByProducingResumeData()
        if let resumeData {
            let rest = try await manager.download(resumeFrom: resumeData)
            print(rest.value.path)
        }

        for await isActive in NetworkActivityMonitor.shared.states {
            print(isActive ? "busy" : "idle")
        }
    }

    private func migration(
        _ manager: HTTPSessionManager, _ request: URLRequest, _ photo: URL, _ folder: URL,
        show: @escaping @Sendable (any Sendable) -> Void
    ) {
        manager.get("me") { task, object in
            show(object)
        } failure: { task, error in
            show(error.message)
        }

        let task = manager.dataTask(with: request) { response, object, error in
            show(response.map { "\($0.statusCode)" } ?? error?.message ?? "nothing")
        }
        task.resume()

        manager.post("photos") { form in
            try form.append(fileAt: photo, name: "photo")
        } success: { task, object in
            show(object)
        }

        let place: SessionTask.Destination = { _, response in
            folder.appendingPathComponent(response.suggestedFileName)
        }
        let download = manager.downloadTask(with: request, destination: place) { response, file, error in
            show(file?.lastPathComponent ?? error?.message ?? "nothing")
        }
        download.resume()

        manager.blocks.taskWillPerformHTTPRedirection = { task, response, proposed in nil }
    }
}
