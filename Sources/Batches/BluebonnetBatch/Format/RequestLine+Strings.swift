// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

extension RequestLine: StringReplacing {
    /// Visits every string value except the ids, in the order of the fields in the format's description.
    mutating func replaceStrings<Failure: Error>(
        at path: FieldPath = .top, _ transform: (String, FieldPath) throws(Failure) -> String
    ) throws(Failure) {
        func place(_ name: Name) -> FieldPath { path.member(name.rawValue) }
        try url.replaceStrings(at: place(.url), transform)
        try method.replaceStrings(at: place(.method), transform)
        try headers.replaceStrings(at: place(.headers), transform)
        try query.replaceStrings(at: place(.query), transform)
        try body.replaceStrings(at: path, transform)
        try output.replaceStrings(at: place(.output), transform)
        try expect.replaceStrings(at: place(.expect), transform)
        try credential.replaceStrings(at: place(.credential), transform)
        try security.replaceStrings(at: place(.security), transform)
        try proxy.replaceStrings(at: place(.proxy), transform)
        try unixSocket.replaceStrings(at: place(.unixSocket), transform)
        try resolve.replaceStrings(at: place(.resolve), transform)
        if case .value(var key)? = idempotencyKey {
            try key.replaceStrings(at: place(.idempotencyKey), transform)
            idempotencyKey = .value(key)
        }
        if var pipeline {
            try pipeline.assertions.replaceStrings(at: place(.assertions), transform)
            try pipeline.until?.assertions.replaceStrings(at: place(.until).member("assert"), transform)
            self.pipeline = pipeline
        }
    }
}

extension RequestLine.Body: StringReplacing {
    mutating func replaceStrings<Failure: Error>(
        at path: FieldPath, _ transform: (String, FieldPath) throws(Failure) -> String
    ) throws(Failure) {
        func replaced<Value: StringReplacing>(_ value: Value, _ name: Name) throws(Failure) -> Value {
            var value = value
            try value.replaceStrings(at: path.member(name.rawValue), transform)
            return value
        }
        switch self {
        case .json(let value): self = .json(try replaced(value, .json))
        case .form(let parameters): self = .form(try replaced(parameters, .form))
        case .plist(let value): self = .plist(try replaced(value, .plist))
        case .text(let text): self = .text(try replaced(text, .text))
        case .file(let path): self = .file(try replaced(path, .file))
        case .multipart(let parts): self = .multipart(try replaced(parts, .multipart))
        }
    }
}

extension RequestLine.Part: StringReplacing {
    mutating func replaceStrings<Failure: Error>(
        at path: FieldPath, _ transform: (String, FieldPath) throws(Failure) -> String
    ) throws(Failure) {
        func place(_ name: Name) -> FieldPath { path.member(name.rawValue) }
        try name.replaceStrings(at: place(.name), transform)
        switch content {
        case .value(var text):
            try text.replaceStrings(at: place(.value), transform)
            content = .value(text)
        case .file(var file, var filename, var contentType):
            try file.replaceStrings(at: place(.file), transform)
            try filename.replaceStrings(at: place(.filename), transform)
            try contentType.replaceStrings(at: place(.contentType), transform)
            content = .file(path: file, filename: filename, contentType: contentType)
        }
    }
}

extension RequestLine.Expectation: StringReplacing {
    mutating func replaceStrings<Failure: Error>(
        at path: FieldPath, _ transform: (String, FieldPath) throws(Failure) -> String
    ) throws(Failure) {
        try type.replaceStrings(at: path.member(Name.type.rawValue), transform)
        try sha256.replaceStrings(at: path.member(Name.sha256.rawValue), transform)
    }
}

extension RequestLine.Credential: StringReplacing {
    mutating func replaceStrings<Failure: Error>(
        at path: FieldPath, _ transform: (String, FieldPath) throws(Failure) -> String
    ) throws(Failure) {
        try user.replaceStrings(at: path.member(Name.user.rawValue), transform)
        try password.replaceStrings(at: path.member(Name.password.rawValue), transform)
    }
}

extension RequestLine.Security: StringReplacing {
    mutating func replaceStrings<Failure: Error>(
        at path: FieldPath, _ transform: (String, FieldPath) throws(Failure) -> String
    ) throws(Failure) {
        func place(_ name: Name) -> FieldPath { path.member(name.rawValue) }
        try pins.replaceStrings(at: place(.pins), transform)
        try ca.replaceStrings(at: place(.ca), transform)
        try clientCertificate.replaceStrings(at: place(.clientCertificate), transform)
        try clientKey.replaceStrings(at: place(.clientKey), transform)
    }
}
