// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation
internal import FoundationNetworking

/// The body of one call, independent of the manager's request serializer.
///
/// ```swift
/// let user: User = try await manager.post("users", body: .json(NewUser(name: "Ada")))
/// ```
///
/// The body is encoded when the operation starts, on a queue of the library. When that fails, the operation fails and
/// nothing is sent. A `Content-Type` among the call's headers replaces the body's own; with a multipart form it has to
/// be `multipart/…` and gets the form's boundary.
public struct RequestBody: Sendable {
    /// Sets the body of a request that has its headers already.
    let apply: @Sendable (inout RequestBlueprint) throws -> Void

    /// A value as JSON.
    public static func json(
        _ value: some Encodable & Sendable, encoder: JSONEncoder = JSONEncoder()
    ) -> RequestBody {
        RequestBody { blueprint in
            blueprint.request = try JSONRequestSerializer.bare.request(
                blueprint.request, encoding: value, with: encoder)
        }
    }

    /// A value as a property list.
    public static func propertyList(
        _ value: some Encodable & Sendable, format: PropertyListRequestSerializer.Format = .xml
    ) -> RequestBody {
        RequestBody { blueprint in
            var serializer = PropertyListRequestSerializer(format: format)
            serializer.http.headers = [:]
            blueprint.request = try serializer.request(blueprint.request, encoding: value)
        }
    }

    /// Parameters as a URL-encoded form.
    public static func form(_ parameters: Parameters) -> RequestBody {
        RequestBody { blueprint in
            let form = try QueryEncoder().encode(parameters)
            blueprint.request.setBody(Data(form.utf8), contentType: "application/x-www-form-urlencoded")
        }
    }

    /// A multipart form: a part for each parameter, then what `build` adds.
    ///
    /// - Parameter build: called once, when the operation starts.
    public static func multipart(
        _ parameters: Parameters = [:], build: @escaping @Sendable (inout MultipartFormData) throws -> Void = { _ in }
    ) -> RequestBody {
        RequestBody { blueprint in
            var form = MultipartFormData()
            try form.append(parameters)
            try build(&form)
            try blueprint.request.setBody(form)
        }
    }

    /// Bytes as they are.
    public static func data(_ data: Data, contentType: String = "application/octet-stream") -> RequestBody {
        RequestBody { $0.request.setBody(data, contentType: contentType) }
    }

    /// Text, as UTF-8.
    public static func text(_ text: String) -> RequestBody {
        data(Data(text.utf8), contentType: "text/plain; charset=utf-8")
    }

    /// A file, streamed from disk.
    ///
    /// - Parameter contentType: nil looks the file name's extension up in the system's table.
    public static func file(_ url: URL, contentType: String? = nil) -> RequestBody {
        RequestBody { blueprint in
            let type = contentType ?? MIMETypes.ofThisSystem.type(ofExtension: url.pathExtension)
            if blueprint.request.value(forHTTPHeaderField: "Content-Type") == nil {
                blueprint.request.setValue(type, forHTTPHeaderField: "Content-Type")
            }
            blueprint.uploadFile = url
        }
    }
}

extension JSONRequestSerializer {
    /// One that adds no headers but the content type.
    fileprivate static var bare: JSONRequestSerializer {
        var serializer = JSONRequestSerializer()
        serializer.http.headers = [:]
        return serializer
    }
}
