// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation

/// A decoded image: plain pixels that may cross threads, without other data of the image's file.
public struct RasterImage: Sendable, Hashable {
    /// The number of pixels in a row.
    public let width: Int
    /// The number of rows.
    public let height: Int
    /// The rows from top to bottom without gaps, each pixel as red, green, blue and alpha of 8 bits (sRGB as in the
    /// file, alpha not premultiplied): `width * height * 4` bytes.
    public let pixels: Data
    /// The number of pixels per screen point. Default 1.
    public let scale: Double

    /// Makes an image. Traps if the number of bytes does not match the size.
    public init(width: Int, height: Int, pixels: Data, scale: Double = 1) {
        precondition(
            width > 0 && height > 0 && pixels.count == width * height * 4, "an image has 4 bytes for each pixel")
        self.width = width
        self.height = height
        self.pixels = pixels
        self.scale = scale
    }

    /// The memory of the pixels, in bytes.
    public var byteCount: Int { pixels.count }
}
