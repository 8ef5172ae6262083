// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetImage
import BluebonnetTestServer
import Foundation
import RealServers
import Testing

@Suite(.enabled(if: ImageMagick.isAvailable), .timeLimit(.minutes(1))) struct ImageResponseSerializerTests {
    private static let formats = ["png", "jpeg", "gif", "tiff", "bmp", "ico", "xbm"]

    @Test(arguments: ["png", "gif", "tiff", "bmp", "ico"])
    func pixelsMatchFile(format: String) throws {
        let image = try ImageFixture.decode(ImageFixture.make(ImageFixture.corners, format))
        #expect(image.sides == [2, 2])
        #expect(image.quads == ImageFixture.cornerPixels)
        #expect(image.scale == 1)
    }

    @Test func jpegPixelsAreCloseToOriginal() throws {
        let image = try ImageFixture.decode(ImageFixture.make(["-size", "16x8", "xc:rgb(200,100,50)"], "jpeg"))
        #expect(image.sides == [16, 8])
        let differences = image.quads.flatMap { zip($0, [200, 100, 50, 255]).map { abs(Int($0) - $1) } }
        #expect(differences.max() ?? 255 < 4)
    }

    @Test func twoColorBitmapIsRead() throws {
        let text = "#define a_width 2\n#define a_height 2\nstatic char a_bits[] = {\n 0x01, 0x02 };\n"
        let image = try ImageFixture.decode(Data(text.utf8))
        let (black, white): ([UInt8], [UInt8]) = ([0, 0, 0, 255], [255, 255, 255, 255])
        #expect(image.quads == [black, white, white, black])
    }

    @Test func alphaIsKeptUnpremultiplied() throws {
        let image = try ImageFixture.decode(ImageFixture.make(["-size", "1x1", "xc:rgba(200,100,50,0.5)"], "png"))
        let pixel = image.quads[0]
        #expect(Array(pixel.prefix(3)) == [200, 100, 50])
        #expect((127...128).contains(pixel[3]))
    }

    @Test func otherDepthsAndColorModelsBecome8BitRGB() throws {
        let gray = try ImageFixture.decode(
            ImageFixture.make(["-size", "1x1", "xc:gray(100)", "-colorspace", "Gray"], "png"))
        #expect(gray.quads[0][0] == gray.quads[0][1])
        let deep = try ImageFixture.decode(ImageFixture.make(ImageFixture.corners + ["-depth", "16"], "png"))
        #expect(deep.quads == ImageFixture.cornerPixels)
    }

    @Test func imageIsRotatedByOrientationMetadata() throws {
        // EXIF orientation 6: the file's rows are the columns of the picture, from the right.
        let file = try ImageFixture.make(
            ["-size", "8x16", "xc:red", "-orient", "RightTop", "-compress", "none"], "tiff")
        let image = try ImageFixture.decode(file)
        #expect(image.sides == [16, 8])
    }

    @Test func configuredScaleIsSetOnImage() throws {
        let file = try ImageFixture.make(ImageFixture.corners, "png")
        #expect(try ImageFixture.decode(file) { $0.imageScale = 2 }.scale == 2)
    }

    @Test(arguments: formats)
    func largeImagesAreReducedToMaximumSideLength(format: String) throws {
        let file = try ImageFixture.make(["-size", "256x128", "gradient:red-blue"], format)
        let image = try ImageFixture.decode(file) { $0.maximumSideLength = 64 }
        #expect(image.sides == [64, 32])
        let same = try ImageFixture.decode(file) { $0.maximumSideLength = 256 }
        #expect(same.sides == [256, 128])
        let thin = try ImageFixture.decode(file) { $0.maximumSideLength = 1 }
        #expect(thin.sides == [1, 1])
    }

    @Test(arguments: formats)
    func imagesAbovePixelLimitAreRefused(format: String) throws {
        let file = try ImageFixture.make(["-size", "200x100", "xc:red"], format)
        let error = #expect(throws: NetworkingError.self) {
            try ImageFixture.decode(file) { $0.maximumPixelCount = 19_999 }
        }
        #expect(error?.code == .bodyTooLarge)
        #expect(error?.message.contains("200 × 100") == true)
        #expect(try ImageFixture.decode(file) { $0.maximumPixelCount = 20_000 }.width == 200)
    }

    @Test func smallFileClaimingHugeSizeIsRefused() throws {
        var file = try ImageFixture.make(ImageFixture.corners, "bmp")
        // The width and height in the header, as 32-bit numbers from byte 18.
        file.replaceSubrange(18..<26, with: [0xFF, 0xFF, 0, 0, 0xFF, 0xFF, 0, 0])
        // Run-length encoding, so that a small file may claim a large image.
        file[30] = 1
        file[28] = 8
        // Newer libraries detect that the file cannot contain so many pixels.
        let error = #expect(throws: NetworkingError.self) { try ImageFixture.decode(file) }
        #expect(error?.code == .bodyTooLarge || error?.code == .cannotParseResponse)
    }

    // MARK: - Damage

    @Test(arguments: formats)
    func truncatedFileFailsOrKeepsSize(format: String) throws {
        let file = try ImageFixture.make(["-size", "40x30", "gradient:red-blue"], format)
        for count in stride(from: 0, to: file.count - 1, by: max(1, file.count / 200)) {
            guard let image = try? ImageFixture.decode(file.prefix(count)) else { continue }
            #expect(image.sides == [40, 30])
        }
    }

    @Test(arguments: formats)
    func halfFileFails(format: String) throws {
        let file = try ImageFixture.make(["-size", "40x30", "gradient:red-blue"], format)
        let error = #expect(throws: NetworkingError.self) { try ImageFixture.decode(file.prefix(file.count / 2)) }
        #expect(error?.code == .cannotParseResponse)
        #expect(error?.body == file.prefix(file.count / 2))
    }

    @Test(arguments: formats)
    func damagedFileGivesImageOrError(format: String) throws {
        let file = try ImageFixture.make(["-size", "16x16", "gradient:red-blue"], format)
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<300 {
            var changed = file
            for _ in 0..<Int.random(in: 1...8, using: &generator) {
                changed[Int.random(in: 0..<changed.count, using: &generator)] = UInt8.random(
                    in: 0...255, using: &generator)
            }
            let result = Result { try ImageFixture.decode(changed) { $0.maximumPixelCount = 1_000_000 } }
            switch result {
            case .success(let image): #expect(image.width * image.height <= 1_000_000)
            case .failure(let error): #expect(error is NetworkingError)
            }
        }
    }

    @Test(arguments: [
        "", "hello", "<svg xmlns='http://www.w3.org/2000/svg' width='1' height='1'/>", "/* XPM */\nstatic char",
        "P3 1 1 1",
    ])
    func unknownFormatFails(text: String) {
        let error = #expect(throws: NetworkingError.self) { try ImageFixture.decode(Data(text.utf8)) }
        #expect(error?.code == .cannotParseResponse)
    }

    @Test func tenImageTypesAreAccepted() {
        #expect(
            ImageResponseSerializer().validation.acceptableContentTypes == [
                "image/tiff", "image/jpeg", "image/gif", "image/png", "image/ico", "image/x-icon", "image/bmp",
                "image/x-bmp", "image/x-xbitmap", "image/x-win-bitmap",
            ])
    }
}
