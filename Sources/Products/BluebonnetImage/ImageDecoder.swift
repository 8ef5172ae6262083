// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet
internal import BluebonnetLocks
internal import CGdkPixbuf
internal import Foundation

/// Decodes the bytes of one image file with gdk-pixbuf. Independent of responses.
struct ImageDecoder {
    /// The maximum number of pixels of the file, before it is scaled down.
    let maximumPixelCount: Int
    /// The maximum number of pixels of the longer side; nil keeps the file's size.
    let maximumSideLength: Int?

    /// The error for bytes without a usable image; its description is the end of a sentence.
    struct Failure: Error, Sendable, CustomStringConvertible {
        let description: String
        /// Whether the image is too large, rather than damaged.
        var isTooLarge = false
    }

    /// Only one image is decoded at a time, because gdk-pixbuf's TIFF loader stores its errors in global variables.
    /// Many images may delay other small responses.
    private static let turn = Mutex(())

    func image(of data: Data, scale: Double) throws(Failure) -> RasterImage {
        guard let format = ImageFormat(of: data) else { throw Failure(description: "its format is unknown") }
        guard format.isWhole(data) else { throw Failure(description: "the \(format) file is truncated") }
        let decoded = Self.turn.withLock { _ in
            Result { () throws(Failure) in try decode(data, format, scale) }
        }
        return try decoded.get()
    }

    private func decode(_ data: Data, _ format: ImageFormat, _ scale: Double) throws(Failure) -> RasterImage {
        var problem: UnsafeMutablePointer<GError>?
        guard let loader = gdk_pixbuf_loader_new_with_type(format.rawValue, &problem) else {
            throw Self.failure(&problem, format)
        }
        defer { g_object_unref(UnsafeMutableRawPointer(loader)) }
        let limit = SizeLimit(self)
        // The signal and its context do not outlive the loader, and the loader does not outlive this function.
        bluebonnet_connect_size_prepared(
            loader, { loader, width, height, context in SizeLimit.apply(loader, width, height, context) },
            Unmanaged.passUnretained(limit).toOpaque())
        let isWritten = data.withUnsafeBytes { bytes in
            gdk_pixbuf_loader_write(loader, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count, &problem) != 0
        }
        // Always closes the loader; only the first error counts.
        let isClosed =
            isWritten ? gdk_pixbuf_loader_close(loader, &problem) != 0 : gdk_pixbuf_loader_close(loader, nil) != 0
        if let refused = withExtendedLifetime(limit, { limit.refused }) {
            if problem != nil { g_error_free(problem) }
            throw Failure(
                description:
                    "it has \(refused.width) × \(refused.height) pixels, over the limit of \(maximumPixelCount)",
                isTooLarge: true)
        }
        guard isWritten, isClosed else { throw Self.failure(&problem, format) }
        guard let picture = gdk_pixbuf_loader_get_pixbuf(loader) else {
            throw Failure(description: "the \(format) file contains no picture")
        }
        return try Self.image(picture, scale)
    }

    private static func failure(
        _ problem: inout UnsafeMutablePointer<GError>?, _ format: ImageFormat
    ) -> Failure {
        let text = problem.flatMap { $0.pointee.message }.map { String(cString: $0) } ?? "it is damaged"
        if problem != nil { g_error_free(problem) }
        problem = nil
        return Failure(description: "the \(format) file cannot be decoded: \(text)")
    }

    /// Copies the pixels, rotated as the file's metadata (EXIF) specifies.
    private static func image(_ picture: OpaquePointer, _ scale: Double) throws(Failure) -> RasterImage {
        guard let upright = gdk_pixbuf_apply_embedded_orientation(picture) else {
            throw Failure(description: "there is not enough memory to rotate it")
        }
        defer { g_object_unref(UnsafeMutableRawPointer(upright)) }
        let (width, height) = (Int(gdk_pixbuf_get_width(upright)), Int(gdk_pixbuf_get_height(upright)))
        let (channels, stride) = (Int(gdk_pixbuf_get_n_channels(upright)), Int(gdk_pixbuf_get_rowstride(upright)))
        guard gdk_pixbuf_get_bits_per_sample(upright) == 8, channels == 3 || channels == 4,
            let source = gdk_pixbuf_read_pixels(upright)
        else { throw Failure(description: "its pixels are not 8-bit RGB") }
        var pixels = Data(count: width * height * 4)
        pixels.withUnsafeMutableBytes { target in
            for row in 0..<height {
                copy(
                    source + row * stride, channels,
                    to: UnsafeMutableRawBufferPointer(rebasing: target[(row * width * 4)...]), width)
            }
        }
        return RasterImage(width: width, height: height, pixels: pixels, scale: scale)
    }

    private static func copy(
        _ row: UnsafePointer<UInt8>, _ channels: Int, to target: UnsafeMutableRawBufferPointer, _ width: Int
    ) {
        if channels == 4 { return target.copyMemory(from: UnsafeRawBufferPointer(start: row, count: width * 4)) }
        for pixel in 0..<width {
            target[pixel * 4] = row[pixel * 3]
            target[pixel * 4 + 1] = row[pixel * 3 + 1]
            target[pixel * 4 + 2] = row[pixel * 3 + 2]
            target[pixel * 4 + 3] = 0xFF
        }
    }
}

/// Checks an image's size before memory is allocated for its pixels. Used within one call of the decoder.
private final class SizeLimit {
    private let decoder: ImageDecoder
    private(set) var refused: (width: Int, height: Int)?

    init(_ decoder: ImageDecoder) { self.decoder = decoder }

    static func apply(
        _ loader: OpaquePointer?, _ width: CInt, _ height: CInt, _ context: UnsafeMutableRawPointer?
    ) {
        guard let context, let loader else { return }
        Unmanaged<SizeLimit>.fromOpaque(context).takeUnretainedValue().apply(loader, Int(width), Int(height))
    }

    private func apply(_ loader: OpaquePointer, _ width: Int, _ height: Int) {
        guard width > 0, height > 0 else { return }
        guard width <= decoder.maximumPixelCount / height else {
            refused = (width, height)
            // For a loader, a size of 0 means: stop decoding.
            return gdk_pixbuf_loader_set_size(loader, 0, 0)
        }
        guard let side = decoder.maximumSideLength, max(width, height) > side else { return }
        let factor = Double(side) / Double(max(width, height))
        let reduced = [width, height].map { CInt(max(1, (Double($0) * factor).rounded())) }
        gdk_pixbuf_loader_set_size(loader, reduced[0], reduced[1])
    }
}
