// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// libcurl 8.14 silently omits a header line from the request if its value is longer than 300 KiB. 7.88 sends the
/// line; versions between them have not been examined. Where the quirk is present, such a request is refused.
enum DroppedField: CurlQuirk {
    static let versions = Range.since(8, 0)
    /// The longest value that libcurl sends, in bytes.
    static let byteLimit = 300 * 1024

    /// Returns the error of a request with a value that is too long.
    static func error(of request: TransferRequest) -> NetworkingError? {
        guard isPresent, let field = request.headers.first(where: { $0.value.utf8.count > byteLimit }) else {
            return nil
        }
        let byteCount = field.value.utf8.count
        return NetworkingError(
            .invalidRequest,
            "the header \(field.name) is too long: \(byteCount) bytes; libcurl \(CurlVersion.current) sends at most"
                + " \(byteLimit) bytes in a line")
    }
}
