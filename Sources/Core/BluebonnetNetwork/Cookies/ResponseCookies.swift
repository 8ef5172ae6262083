// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Collects the lines of one response that libcurl misreads, and corrects the jar. Network thread only.
final class ResponseCookies: ReceivedCookies {
    private let jar: CookieJar
    private var misread: MisreadCookies
    private var lineCount = 0

    init(_ jar: CookieJar, _ misread: MisreadCookies) { (self.jar, self.misread) = (jar, misread) }

    func add(_ line: UnsafeRawBufferPointer) {
        lineCount += 1
        misread.add(line: String(decoding: line, as: UTF8.self))
    }

    /// Each correction lists the jar, and the server decides in how many pieces the lines arrive. After `acceptedCount`
    /// lines, the remaining lines are therefore corrected at the end.
    var hasWideCookie: Bool { misread.hasWideCookie && lineCount <= MisreadCookies.acceptedCount }

    func correct() {
        jar.store.value.correct(misread)
        misread.removeAll()
    }

    func end() {
        correct()
        jar.didAdd(min(lineCount, MisreadCookies.acceptedCount))
    }
}

@available(*, unavailable)
extension ResponseCookies: Sendable {}
