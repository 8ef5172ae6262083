// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetImage
import BluebonnetTestServer
import Foundation
import FoundationNetworking
import RealServers

/// Images made by another program (ImageMagick).
enum ImageFixture {
    /// Makes an image file with `convert`'s arguments in the named format, and returns its bytes.
    static func make(_ arguments: [String], _ format: String) throws -> Data {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = folder.path("image." + format)
        try ImageMagick.convert(arguments + [format + ":" + path], in: folder)
        return try Data(contentsOf: URL(fileURLWithPath: path))
    }

    /// Four pixels: red and blue above, green and white below.
    static let corners = [
        "-size", "1x1", "(", "xc:red", "xc:blue", "+append", ")", "(", "xc:lime", "xc:white", "+append", ")", "-append",
    ]

    static let cornerPixels: [[UInt8]] = [
        [255, 0, 0, 255], [0, 0, 255, 255], [0, 255, 0, 255], [255, 255, 255, 255],
    ]

    static func response(_ status: Int = 200) -> ResponseHead {
        guard let url = URL(string: "http://h/") else { preconditionFailure("the URL is well formed") }
        return ResponseHead(url: url, statusCode: status)
    }

    /// Decodes a body with a serializer.
    static func decode(
        _ data: Data, _ change: (inout ImageResponseSerializer) -> Void = { _ in }
    ) throws -> RasterImage {
        var serializer = ImageResponseSerializer()
        change(&serializer)
        return try serializer.value(for: response(), body: data)
    }
}

extension RasterImage {
    /// Width and height.
    var sides: [Int] { [width, height] }

    /// The pixels one by one.
    var quads: [[UInt8]] { (0..<width * height).map { Array(pixels[($0 * 4)..<($0 * 4 + 4)]) } }
}
