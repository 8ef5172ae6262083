// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
internal import BluebonnetBatch

/// The files that a curl command writes: `-o` and `-O`, in the order of the URLs.
struct CurlFiles {
    private enum Output {
        case file(String)
        /// The last segment of the URL's path.
        case remoteName
    }

    private var outputs: [Output] = []
    private var folder: String?
    private var namesAll = false
    /// Whether the response names the file.
    private var usesHeader = false
    private var latest: CurlArguments.Item?

    mutating func apply(_ item: CurlArguments.Item) throws(ConversionError) {
        switch item.option {
        case .output: outputs.append(.file(item.value))
        case .remoteName: outputs.append(.remoteName)
        case .remoteNameAll: namesAll = true
        case .remoteHeaderName: usesHeader = true
        case .outputFolder: folder = item.value
        default:
            guard item.value == "-" else {
                throw item.error("a line continues at the end of its partial file: write -C -")
            }
            return
        }
        latest = item
    }

    func check(urlCount: Int) throws(ConversionError) {
        guard let latest, outputs.count > urlCount else { return }
        throw latest.error("there are more output files than URLs")
    }

    /// Returns the `output` of the line for a URL.
    func output(_ index: Int, url: String, place: CurlArguments.Item) throws(ConversionError) -> String? {
        guard let output = index < outputs.count ? outputs[index] : namesAll ? .remoteName : nil else { return nil }
        switch output {
        case .file("-"): return nil
        case .file(let path): return inFolder(path)
        case .remoteName where usesHeader:
            guard let folder else { return "./" }
            return FilePath.namesFolder(folder) ? folder : folder + "/"
        case .remoteName:
            let name = URLText(url).path.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
            guard !name.isEmpty else { throw place.error("its path has no file name for -O") }
            return inFolder(String(name))
        }
    }

    private func inFolder(_ path: String) -> String {
        guard let folder else { return path }
        return folder.hasSuffix("/") ? folder + path : folder + "/" + path
    }
}
