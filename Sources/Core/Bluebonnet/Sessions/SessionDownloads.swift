// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation
internal import FoundationNetworking

/// The data that continues a download: the request, and the file next to which its partial file is. Encoded as JSON.
struct DownloadResumption: Codable {
    static let namePrefix = "org.bluebonnet.download-"

    let url: URL
    let headers: [String: String]
    let file: URL

    /// Returns nil for other data.
    static func decoded(from data: Data) -> DownloadResumption? {
        let coded = try? JSONDecoder().decode(DownloadResumption.self, from: data)
        return coded?.file.isFileURL == true && coded?.file.lastPathComponent.hasPrefix(namePrefix) == true
            ? coded : nil
    }

    var request: URLRequest {
        var request = URLRequest(url: url)
        for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
        return request
    }
}

extension SessionTask {
    /// The data with which `downloadTask(withResumeData:)` continues this download, in this process or another process.
    /// It names the file with the part of the body, and contains the request's header fields, credentials included.
    ///
    /// Nil for any other task, for another method than GET, before the first `resume()`, once the download has
    /// succeeded or was cancelled by `cancel()`, and if it has ended without a partial file that can be continued:
    /// small bodies, and responses without a strong validator, are not continued. The data also exists while the
    /// download runs, in case the process is killed.
    public var resumeData: Data? {
        guard kind == .download, isBegun, operation.downloadedFile == nil, let file = extras?.temporaryFile,
            let request = originalRequest, request.httpMethod ?? "GET" == "GET", request.httpBody == nil,
            let url = request.url
        else { return nil }
        guard
            !operation.isFinished
                || FileManager.default.fileExists(atPath: RequestOperation.partialFile(of: file).path)
        else { return nil }
        let resumption = DownloadResumption(url: url, headers: request.allHTTPHeaderFields ?? [:], file: file)
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return try? encoder.encode(resumption)
    }
}

extension Session {
    /// Returns a new file URL in the folder for downloads.
    func temporaryFile() -> URL {
        configuration.downloadDirectory.appendingPathComponent(DownloadResumption.namePrefix + UUID().uuidString)
    }
}

extension SessionTask {
    /// Makes the operation ask, on the delegate queue, where the complete file goes: first the session's block, then
    /// the task's destination.
    func installPlacement() {
        guard blocks?.downloadTaskDidFinishDownloading != nil || extras?.destination != nil else { return }
        operation.setPlacement { [weak self] file, head in
            guard let self else { return nil }
            return await session.ask { [self] in target(of: file, head) }
        }
    }

    private func target(of file: URL, _ head: ResponseHead?) -> URL? {
        tellEndOfProgress(head)
        let target =
            blocks?.downloadTaskDidFinishDownloading?(self, file) ?? head.flatMap { extras?.destination?(file, $0) }
        guard let target, target.standardizedFileURL.path != file.standardizedFileURL.path else { return nil }
        changeExtras { $0.target = target }
        return target
    }
}
