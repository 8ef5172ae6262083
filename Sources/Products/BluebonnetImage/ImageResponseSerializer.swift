// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Bluebonnet
public import Foundation

/// Decodes the body as an image: PNG, JPEG, GIF (its first frame), TIFF, BMP, ICO or XBM.
///
/// The bytes determine the format. A damaged or truncated image, and an image in another format, is an error; an empty
/// body is an error too, whatever the status. One image is decoded at a time, on the library's processing queues.
public struct ImageResponseSerializer: ResponseSerializer, Codable {
    public var validation: ResponseValidation
    /// The `scale` of the images, in pixels per screen point. Default 1.
    public var imageScale = 1.0
    /// The maximum number of pixels (width times height) of an image in its file, checked before memory is allocated. A
    /// larger image fails with `bodyTooLarge`. Default 64 Mi pixels, which take 256 MiB.
    public var maximumPixelCount = 64 * 1024 * 1024
    /// The maximum number of pixels of an image's longer side. Larger images are scaled down, JPEG during decoding.
    /// Default nil: no scaling.
    public var maximumSideLength: Int?

    /// Makes a serializer for AFNetworking's ten content types with a status from 200 to 299.
    public init() {
        validation = ResponseValidation(acceptableContentTypes: [
            "image/tiff", "image/jpeg", "image/gif", "image/png", "image/ico", "image/x-icon", "image/bmp",
            "image/x-bmp", "image/x-xbitmap", "image/x-win-bitmap",
        ])
    }

    public func value(for response: ResponseHead, body: Data) throws(NetworkingError) -> RasterImage {
        precondition(maximumSideLength ?? 1 > 0, "a side has at least one pixel")
        do {
            return try ImageDecoder(maximumPixelCount: maximumPixelCount, maximumSideLength: maximumSideLength)
                .image(of: body, scale: imageScale)
        } catch {
            throw NetworkingError(
                error.isTooLarge ? .bodyTooLarge : .cannotParseResponse,
                body.isEmpty
                    ? "the response has no image: its body is empty" : "the response's image is unusable: \(error)",
                response: response.urlResponse, body: body, underlying: error)
        }
    }
}
