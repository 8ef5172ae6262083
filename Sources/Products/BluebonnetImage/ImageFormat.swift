// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// The image formats that can be decoded, detected by their first bytes, not by the server's content type.
///
/// gdk-pixbuf supports more formats (including vector graphics, whose files may refer to other files); responses in
/// those formats are never decoded.
enum ImageFormat: String {
    // The names are gdk-pixbuf's.
    case png, jpeg, gif, tiff, bmp, ico, xbm

    init?(of data: Data) {
        let found = Self.starts.first { data.starts(with: $0.bytes) }
        guard let format = found?.format ?? (Self.isBitmapText(data) ? .xbm : nil) else { return nil }
        self = format
    }

    private static let starts: [(bytes: [UInt8], format: ImageFormat)] = [
        ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], .png), ([0xFF, 0xD8, 0xFF], .jpeg),
        (Array("GIF87a".utf8), .gif), (Array("GIF89a".utf8), .gif), ([0x49, 0x49, 0x2A, 0x00], .tiff),
        ([0x4D, 0x4D, 0x00, 0x2A], .tiff), ([0x42, 0x4D], .bmp), ([0, 0, 1, 0], .ico), ([0, 0, 2, 0], .ico),
    ]

    /// An X bitmap is C source; a comment may precede its first definition.
    private static func isBitmapText(_ data: Data) -> Bool {
        data.starts(with: "#define".utf8)
            || (data.starts(with: "/*".utf8) && data.range(of: Data("#define".utf8)) != nil)
    }

    /// Whether the file is complete. For a truncated file, gdk-pixbuf delivers the existing pixels and leaves the rest
    /// empty.
    func isWhole(_ data: Data) -> Bool {
        switch self {
        case .png: data.range(of: Data("IEND".utf8), options: .backwards) != nil
        case .jpeg: data.range(of: Data([0xFF, 0xD9]), options: .backwards) != nil
        case .gif: data.last { $0 != 0 } == 0x3B
        case .bmp: Self.hasAllRows(data)
        case .ico: Self.hasAllEntries(data)
        case .xbm: data.contains(UInt8(ascii: "}"))
        case .tiff: true  // libtiff detects truncation itself
        }
    }

    /// Whether all pictures of an icon are inside the file, according to its directory.
    private static func hasAllEntries(_ data: Data) -> Bool {
        let count = number(data, 4, 2)
        return data.count >= 6 + count * 16
            && (0..<count).allSatisfy { number(data, 14 + $0 * 16, 4) + number(data, 18 + $0 * 16, 4) <= data.count }
    }

    /// Reads a little-endian number.
    private static func number(_ data: Data, _ offset: Int, _ byteCount: Int) -> Int {
        data.dropFirst(offset).prefix(byteCount).reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    /// Whether an uncompressed Windows bitmap has the rows that its header (BITMAPINFOHEADER) announces.
    private static func hasAllRows(_ data: Data) -> Bool {
        guard data.count >= 54, number(data, 14, 4) >= 40 else { return data.count >= 26 }
        guard number(data, 30, 4) == 0 else { return true }
        let width = number(data, 18, 4)
        let rows = abs(Int(Int32(truncatingIfNeeded: number(data, 22, 4))))
        let rowByteCount = (width * number(data, 28, 2) + 31) / 32 * 4
        return rowByteCount == 0 || rows <= (data.count - min(number(data, 10, 4), data.count)) / rowByteCount
    }
}
