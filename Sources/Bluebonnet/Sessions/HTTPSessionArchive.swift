// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

extension HTTPSessionManager {
    /// The contents of a manager that another process can make one of: base URL, configuration with the current
    /// options, and serializers. It has no tasks, blocks and queues. The options are coded as `TransferOptions` is,
    /// credentials included: protect the archive accordingly.
    public struct Archive: Codable, Sendable {
        fileprivate let baseURL: URL?
        fileprivate let configuration: SessionConfiguration
        fileprivate let requestSerializer: RequestSerializerRecord
        fileprivate let responseSerializer: SerializerRecord
    }

    /// An archive of the manager.
    ///
    /// - Throws: `NetworkingError` with `invalidRequest` when a serializer is not the library's, or is one that no
    ///   archive can hold. The error names the type.
    public func archive() throws(NetworkingError) -> Archive {
        guard let request = RequestSerializerRecord(requestSerializer) else {
            throw Self.noArchive(of: "\(type(of: requestSerializer))")
        }
        do {
            return Archive(
                baseURL: baseURL, configuration: session.currentConfiguration, requestSerializer: request,
                responseSerializer: try SerializerRecord(responseSerializer))
        } catch {
            throw Self.noArchive(of: error.type)
        }
    }

    private static func noArchive(of type: String) -> NetworkingError {
        NetworkingError(.invalidRequest, "the serializer \(type) has no archive, so its manager has none")
    }

    /// Makes a manager from an archive.
    public convenience init(archive: Archive) {
        self.init(baseURL: archive.baseURL, configuration: archive.configuration)
        requestSerializer = archive.requestSerializer.serializer
        responseSerializer = archive.responseSerializer.serializer
    }
}
