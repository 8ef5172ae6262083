// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

// The header fields that say how the body is framed belong to the transport: a caller cannot set them wrongly.
extension RequestCheck {
    /// The fields to send, checked, and what they say about a body whose length is not known otherwise.
    package struct Fields {
        /// The caller's fields without `Content-Length`.
        package let sent: [(name: String, value: String)]
        /// The length that the caller declared for a body that is streamed.
        package let declaredBodyByteCount: Int64?

        package init(sent: [(name: String, value: String)], declaredBodyByteCount: Int64? = nil) {
            self.sent = sent
            self.declaredBodyByteCount = declaredBodyByteCount
        }
    }

    /// Refuses a field that cannot be sent or that contradicts the body.
    ///
    /// A `Content-Length` that is the body's is left out, because the transport writes it; another one is an error,
    /// and so is any `Transfer-Encoding`.
    /// - Parameter bodyByteCount: the body's length, 0 without a body, nil for a stream of unknown length: then
    ///   `Content-Length` declares it.
    package static func fields(
        _ fields: [(name: String, value: String)], bodyByteCount: Int64?
    ) throws(NetworkingError) -> Fields {
        var sent: [(name: String, value: String)] = []
        var length = bodyByteCount
        for (name, value) in fields {
            try field(name: name, value: value)
            if FieldSyntax.isSameName(name, "Transfer-Encoding") {
                throw NetworkingError(
                    .invalidRequest,
                    "the header Transfer-Encoding is not the caller's: a body stream without a Content-Length is sent "
                        + "in chunks where HTTP/1.1 needs it; remove the header")
            }
            if FieldSyntax.isSameName(name, "Content-Length") {
                length = try contentLength(value, of: length)
            } else {
                sent.append((name, value))
            }
        }
        return Fields(sent: sent, declaredBodyByteCount: bodyByteCount == nil ? length : nil)
    }

    /// The length that a `Content-Length` declares.
    ///
    /// - Parameter bodyByteCount: the body's length; nil when it is not known.
    package static func contentLength(_ value: String, of bodyByteCount: Int64?) throws(NetworkingError) -> Int64 {
        guard FieldSyntax.isNumber(value.utf8), let number = Int64(value) else {
            throw NetworkingError(.invalidRequest, "the value of header Content-Length is not a length: \(value)")
        }
        guard number == bodyByteCount ?? number else {
            let fault = "the header Content-Length says \(number), but the body has \(bodyByteCount ?? 0) bytes"
            throw NetworkingError(.invalidRequest, fault)
        }
        return number
    }
}
