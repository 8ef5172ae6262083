// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import Glibc
import Testing

@testable import BluebonnetNetwork

@Suite(.timeLimit(.minutes(1))) struct FileLockTests {
    private let folder: ScratchFolder

    init() throws { folder = try ScratchFolder() }

    private func opened() throws -> CInt {
        let descriptor = open(folder.path("file"), O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        try #require(descriptor >= 0)
        return descriptor
    }

    @Test(arguments: [1, 3]) func lockedFileIsRefusedUntilItsHolderReleasesIt(tryCount: Int) throws {
        let (holder, other) = (try opened(), try opened())
        defer { for descriptor in [holder, other] { close(descriptor) } }
        #expect(FileLock.acquire(holder) == 0)
        #expect(FileLock.acquire(holder) == 0, "a holder keeps its lock")
        #expect(FileLock.acquire(other, tryCount: tryCount) == EWOULDBLOCK)
        #expect(flock(holder, LOCK_UN) == 0)
        #expect(FileLock.acquire(other, tryCount: tryCount) == 0)
    }

    @Test func lockIsAcquiredWhenItsHolderClosesItMeanwhile() async throws {
        let (holder, other) = (try opened(), try opened())
        defer { close(other) }
        #expect(FileLock.acquire(holder) == 0)
        let result = Observed<CInt?>(nil)
        Thread.detachNewThread {
            // More attempts than the test may take.
            let code = FileLock.acquire(other, tryCount: 60_000)
            result.update { $0 = code }
        }
        close(holder)
        await result.becomes(0)
    }

    @Test func folderIsLockedLikeAFile() throws {
        let descriptors = (0..<2).map { _ in open(folder.url.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        defer { for descriptor in descriptors { close(descriptor) } }
        #expect(descriptors.map { FileLock.acquire($0) } == [0, EWOULDBLOCK])
    }

    @Test func closedDescriptorIsAnError() { #expect(FileLock.acquire(-1, tryCount: 60_000) == EBADF) }
}
