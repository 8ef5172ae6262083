// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import Foundation

// Cancels one download while it runs. Pauses another download, which then continues where it stopped.
//
//     CancelAndPauseExample http://127.0.0.1:8080/
//
// The server must send a large text slowly and support ranges, as `Demo --serve` does.
guard let argument = CommandLine.arguments.dropFirst().first, let baseURL = URL(string: argument) else {
    print("usage: CancelAndPauseExample BASE-URL")
    exit(2)
}

let manager = RequestOperationManager(baseURL: baseURL)
manager.responseSerializer = HTTPResponseSerializer()
let file = FileManager.default.temporaryDirectory.appendingPathComponent("numbers-\(UUID().uuidString).txt")

let cancelled = manager.operation("GET", "numbers", parameters: ["count": 1_000_000, "seconds": 60])
cancelled.onDownloadProgress = { _, receivedByteCount, _ in
    guard receivedByteCount > 100_000 else { return }
    cancelled.cancel()
}
manager.enqueue(cancelled)

// The body is written to a file as it arrives. The file must be set before the operation is in a queue.
let download = manager.operation("GET", "numbers", parameters: ["count": 200_000, "seconds": 1]) {
    $0.outputFile = file
}
download.onDownloadProgress = { _, receivedByteCount, expectedByteCount in
    print("\(receivedByteCount) of \(expectedByteCount) bytes")
    guard receivedByteCount > expectedByteCount / 2, receivedByteCount < expectedByteCount else { return }
    // Half of the text has arrived: pause once, and continue with the other half a moment later.
    download.onDownloadProgress = nil
    download.pause()
    print("paused")
    DispatchQueue.global().asyncAfter(deadline: .now() + 0.5) {
        download.resume()
        print("resumed")
    }
}
manager.enqueue(download)

try await cancelled.waitUntilEnded()
try await download.waitUntilEnded()
print("the one: \(cancelled.error?.description ?? "not cancelled")")
print("the other: \(download.receivedByteCount) bytes in \(download.summary.transferCount) transfers, in \(file.path)")
try? FileManager.default.removeItem(at: file)
exit(cancelled.error?.code == .cancelled && download.error == nil ? 0 : 1)
