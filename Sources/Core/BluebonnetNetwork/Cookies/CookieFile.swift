// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation
internal import Glibc

/// Reads and writes cookies in the format of Netscape's cookie file, which curl and many other programs use.
enum CookieFile {
    private static let firstLine = "# Netscape HTTP Cookie File"
    private static let httpOnlyMark = "#HttpOnly_"
    /// A larger file cannot be a cookie file: 3,000 of the largest cookies take 16 MiB.
    private static let byteLimit = 16 * 1024 * 1024

    static func text(_ cookies: [Cookie]) -> String {
        ([firstLine] + cookies.map(line)).map { $0 + "\n" }.joined()
    }

    static func line(_ cookie: Cookie) -> String {
        let domain = (cookie.isHTTPOnly ? httpOnlyMark : "") + (cookie.includesSubdomains ? "." : "") + cookie.domain
        return [
            domain, flag(cookie.includesSubdomains), cookie.path, flag(cookie.isSecure),
            String(cookie.expires.map(seconds) ?? 0), cookie.name, cookie.value,
        ].joined(separator: "\t")
    }

    /// Returns the seconds since 1970: at least 1, because 0 means a session cookie, and the largest value for later
    /// dates.
    private static func seconds(_ date: Date) -> Int64 {
        let seconds = date.timeIntervalSince1970.rounded(.down)
        return max(1, Int64(exactly: seconds) ?? (seconds < 0 ? 1 : .max))
    }

    private static func flag(_ isSet: Bool) -> String { isSet ? "TRUE" : "FALSE" }

    /// Parses the text of a whole file.
    ///
    /// - Throws: `cannotReadFile`, naming the first line that is not in the format.
    static func cookies(in text: String, path: String) throws(NetworkingError) -> [Cookie] {
        var cookies: [Cookie] = []
        // Splits scalars, because a carriage return and a line feed are one `Character`.
        let lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
        for (index, scalars) in lines.enumerated() {
            let line = String(scalars.last == "\r" ? scalars.dropLast() : scalars)
            if line.isEmpty || line.hasPrefix("#") && !line.hasPrefix(httpOnlyMark) { continue }
            let place = "line \(index + 1) of the cookie file \(path)"
            guard let cookie = cookie(line) else {
                throw NetworkingError(.cannotReadFile, "\(place) is not a cookie in the Netscape format")
            }
            do {
                try cookie.check()
            } catch {
                throw NetworkingError(.cannotReadFile, "\(place) is damaged: \(error.message)")
            }
            cookies.append(cookie)
        }
        guard cookies.count <= CookieRules.countLimit else {
            throw NetworkingError(
                .cannotReadFile, "the cookie file \(path) has more than \(CookieRules.countLimit) cookies")
        }
        return cookies
    }

    /// Parses a line: domain, whether subdomains are included, path, whether secure, expiry, name, value. An empty
    /// value may be omitted together with its tab.
    static func cookie(_ line: String) -> Cookie? {
        // Splits bytes, because a tab and a following combining mark are one `Character`.
        let isHTTPOnly = line.utf8.starts(with: httpOnlyMark.utf8)
        let bare = line.utf8.dropFirst(isHTTPOnly ? httpOnlyMark.utf8.count : 0)
        var fields = bare.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
            .map { String(Substring($0)) }
        if fields.count == 6 { fields.append("") }
        guard fields.count == 7, let includesSubdomains = isSet(fields[1]), let isSecure = isSet(fields[3]),
            FieldSyntax.isNumber(fields[4].utf8), let expires = Int64(fields[4])
        else { return nil }
        let domain = fields[0].hasPrefix(".") ? String(fields[0].dropFirst()) : fields[0]
        return Cookie(
            name: fields[5], value: fields[6], domain: domain.lowercased(), path: fields[2],
            includesSubdomains: includesSubdomains,
            expires: expires == 0 ? nil : Date(timeIntervalSince1970: TimeInterval(expires)), isSecure: isSecure,
            isHTTPOnly: isHTTPOnly)
    }

    /// Calls `body` with the name and the path of a line from libcurl, without parsing the other fields.
    ///
    /// - Returns: nil if the line is not in the format.
    static func withNameAndPath<Result>(
        of line: UnsafePointer<CChar>, _ body: (_ name: String, _ path: @autoclosure () -> String) -> Result?
    ) -> Result? {
        let fields = UnsafeRawBufferPointer(start: line, count: strlen(line))
            .split(separator: UInt8(ascii: "\t"), maxSplits: 6, omittingEmptySubsequences: false)
        guard fields.count >= 6 else { return nil }
        return body(String(decoding: fields[5], as: UTF8.self), String(decoding: fields[2], as: UTF8.self))
    }

    private static func isSet(_ flag: String) -> Bool? {
        switch flag {
        case "TRUE": true
        case "FALSE": false
        default: nil
        }
    }
}

// MARK: - On disk

extension CookieFile {
    static func read(_ path: String) throws(NetworkingError) -> [Cookie] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            throw NetworkingError(.cannotReadFile, "cannot open the cookie file \(path)", underlying: POSIXError.last)
        }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        let data: Data
        do {
            data = try file.read(upToCount: byteLimit + 1) ?? Data()
        } catch {
            throw NetworkingError(.cannotReadFile, "cannot read the cookie file \(path)", underlying: error)
        }
        guard data.count <= byteLimit, let text = String(validating: data, as: UTF8.self) else {
            throw NetworkingError(.cannotReadFile, "\(path) is not a cookie file: it is too large or not text")
        }
        return try cookies(in: text, path: path)
    }

    /// Writes a new file next to the path and moves it into place. Only its owner can read the file, because cookies
    /// are credentials.
    static func write(_ cookies: [Cookie], to path: String) throws(NetworkingError) {
        try ExistingFile.checkReplaceable(path)
        let partial = path + ".bluebonnet-\(UUID().uuidString)"
        let descriptor = open(partial, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw failure("create", partial) }
        do throws(NetworkingError) {
            defer { close(descriptor) }
            try write(Data(text(cookies).utf8), to: descriptor, partial)
            guard fsync(descriptor) == 0 else { throw failure("write", partial) }
            guard rename(partial, path) == 0 else { throw failure("replace", path) }
        } catch {
            unlink(partial)
            throw error
        }
    }

    private static func write(_ data: Data, to descriptor: CInt, _ path: String) throws(NetworkingError) {
        var rest = data[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                throw failure("write", path)
            }
        }
    }

    private static func failure(_ verb: String, _ path: String) -> NetworkingError {
        NetworkingError(.cannotWriteFile, "cannot \(verb) the cookie file \(path)", underlying: POSIXError.last)
    }
}
