// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import Foundation
import FoundationNetworking

/// The blocks of the pages about sessions. They are only compiled; the session tests check their behavior.
enum SessionPageBlocks {
    static func sessions(_ request: URLRequest, _ folder: URL) async throws {
        // BLOCK Sessions.md
        let manager = SessionManager()
        let task = manager.dataTask(with: request) { response, object, error in
            print(response?.statusCode ?? 0, object ?? error ?? "nothing")
        }
        task.resume()
        // END

        // BLOCK Sessions.md
        let response = try await manager.data(for: request)
        print(response.statusCode, response.value)
        // END

        // BLOCK Sessions.md
        let api = HTTPSessionManager(baseURL: URL(string: "https://api.example.com/v1/"))
        api.get("me") { task, object in
            print(object)
        } failure: { task, error in
            print(error)
        }
        let created = try await api.post("users", parameters: ["name": "Ada"])
        // END
        print(created.statusCode)

        // BLOCK Sessions.md
        manager.blocks.taskDidComplete = { task, error in print(task.taskIdentifier, error?.message ?? "done") }
        // END

        // BLOCK Sessions.md
        let place: SessionTask.Destination = { _, response in
            folder.appendingPathComponent(response.suggestedFileName)
        }
        let download = manager.downloadTask(with: request, destination: place) { response, file, error in
            print(file?.path ?? error?.message ?? "")
        }
        download.resume()
        // END

        // BLOCK Sessions.md
        let resumeData = await download.cancelByProducingResumeData()
        if let resumeData {
            let rest = try await manager.download(resumeFrom: resumeData)
            print(rest.value.path)
        }
        // END

        // BLOCK Sessions.md
        for await isActive in NetworkActivityMonitor.shared.states {
            print(isActive ? "busy" : "idle")
        }
        // END
    }

    static func migration(
        _ manager: HTTPSessionManager, _ request: URLRequest, _ photo: URL, _ folder: URL,
        show: @escaping @Sendable (any Sendable) -> Void
    ) {
        // BLOCK MigratingFromAFNetworking3And4.md
        manager.get("me") { task, object in
            show(object)
        } failure: { task, error in
            show(error.message)
        }
        // END

        // BLOCK MigratingFromAFNetworking3And4.md
        let task = manager.dataTask(with: request) { response, object, error in
            show(response.map { "\($0.statusCode)" } ?? error?.message ?? "nothing")
        }
        task.resume()
        // END

        // BLOCK MigratingFromAFNetworking3And4.md
        manager.post("photos") { form in
            try form.append(fileAt: photo, name: "photo")
        } success: { task, object in
            show(object)
        }
        // END

        // BLOCK MigratingFromAFNetworking3And4.md
        let place: SessionTask.Destination = { _, response in
            folder.appendingPathComponent(response.suggestedFileName)
        }
        let download = manager.downloadTask(with: request, destination: place) { response, file, error in
            show(file?.lastPathComponent ?? error?.message ?? "nothing")
        }
        download.resume()
        // END

        // BLOCK MigratingFromAFNetworking3And4.md
        manager.blocks.taskWillPerformHTTPRedirection = { task, response, proposed in nil }
        // END

        // BLOCK MigratingFromAFNetworking3And4.md
        let observer = NotificationCenter.default.addObserver(
            forName: SessionTask.didCompleteNotification, object: nil, queue: nil
        ) { notification in
            let error = notification.userInfo?[SessionTask.CompletionKey.error] as? NetworkingError
            show(error?.message ?? "done")
        }
        // END
        NotificationCenter.default.removeObserver(observer)
    }

    static func migrationFromVersion2(
        _ configuration: SessionConfiguration, _ base: URL, _ request: URLRequest, _ folder: URL,
        show: @escaping @Sendable (any Sendable) -> Void
    ) -> Progress {
        // BLOCK MigratingFromAFNetworking2.md
        let manager = SessionManager(configuration: configuration)

        let place: SessionTask.Destination = { _, response in
            folder.appendingPathComponent(response.suggestedFileName)
        }
        let task = manager.downloadTask(with: request, destination: place) { response, file, error in
            show(file?.lastPathComponent ?? error?.message ?? "nothing")
        }
        let progress = task.downloadProgress
        task.resume()
        // END

        // BLOCK MigratingFromAFNetworking2.md
        let api = HTTPSessionManager(baseURL: base, configuration: configuration)
        api.get("me") { task, object in
            show(object)
        } failure: { task, error in
            show(error.message)
        }
        // END
        return progress
    }

    static func comments(_ request: URLRequest) async throws {
        do {
            // BLOCK SessionManager.swift
            let manager = SessionManager()
            let task = manager.dataTask(with: request) { response, object, error in print(object ?? error ?? "nothing")
            }
            task.resume()
            // END

            // BLOCK SessionBlocks.swift
            manager.blocks.taskWillPerformHTTPRedirection = { task, response, proposed in nil }
            // END
        }
        do {
            // BLOCK HTTPSessionManager.swift
            let manager = HTTPSessionManager(baseURL: URL(string: "https://api.example.com/v1/")!)
            manager.get("me") { task, object in
                print(object)
            } failure: { task, error in
                print(error)
            }
            let me = try await manager.get("me").value
            // END
            print(me)
        }
        // BLOCK NetworkActivityMonitor.swift
        for await isActive in NetworkActivityMonitor.shared.states { print(isActive ? "busy" : "idle") }
        // END
    }
}
