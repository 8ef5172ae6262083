// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import Testing

@testable import BluebonnetCommand

@Suite(.timeLimit(.minutes(1))) struct StreamReaderTests {
    private let pipe: TestPipe
    private let control = StopControl()
    private let reader: StreamReader

    init() throws {
        pipe = try TestPipe()
        reader = try StreamReader(FileDescriptor(pipe.readEnd), control: control)
    }

    @Test func readerGivesTheBytesAndThenTheEnd() throws {
        pipe.write("abc")
        #expect(try reader.next() == .bytes(Array("abc".utf8)))
        pipe.closeWriteEnd()
        #expect(try reader.next() == .end)
        pipe.closeReadEnd()
    }

    @Test func stopWakesAWaitingReader() async throws {
        let parts = Observed([StreamReader.Part?]())
        Thread.detachNewThread { [reader] in parts.append(try? reader.next()) }
        control.stop(.interrupted)
        await parts.becomes([.stopped])
        #expect(parts.value == [.stopped])
        pipe.closeWriteEnd()
        pipe.closeReadEnd()
    }

    @Test func readerReadsOnlyAvailableBytesAfterAFailure() throws {
        pipe.write("abc")
        control.stop(.operationFailed)
        #expect(try reader.next() == .bytes(Array("abc".utf8)))
        #expect(try reader.next() == .stopped)
        pipe.closeWriteEnd()
        #expect(try reader.next() == .end)
        pipe.closeReadEnd()
    }

    @Test(arguments: [StopControl.Reason.interrupted, .resultsLost])
    func readerReadsNothingAfterAnInterrupt(_ reason: StopControl.Reason) throws {
        pipe.write("abc")
        control.stop(reason)
        #expect(try reader.next() == .stopped)
        pipe.closeWriteEnd()
        pipe.closeReadEnd()
    }
}
