// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation

/// The answer of a response block: what happens to the body of a response whose head has arrived.
public enum ResponseDisposition: Sendable, Equatable {
    /// The body goes to the operation's destination: memory, its file or its stream.
    case allow
    /// The operation fails with `cancelled`; the body is not read.
    case cancel
    /// The body goes to a file, including the part that is already in memory, as with `RequestOperation.outputFile`.
    /// For a response that is not accepted, and for an operation whose body goes to a file or a stream anyway, this is
    /// the same as `allow`.
    case download(URL)
}

/// A response block's answer in the form for the hop sequence: the file is already open.
enum ResponseAnswer: Sendable {
    case deliver
    case file(PartialFile)
    case fail(NetworkingError)

    /// Carries out the part of an answer that may block; not on the network thread.
    init(_ disposition: ResponseDisposition, to prepared: PreparedRequest, isAccepted: Bool) {
        switch disposition {
        case .allow: self = .deliver
        case .cancel: self = .fail(NetworkingError(.cancelled, "the response block cancelled the operation"))
        case .download where prepared.hasOutput || !isAccepted: self = .deliver
        case .download(let url):
            do throws(NetworkingError) {
                self = .file(try prepared.openOutput(at: url))
            } catch {
                self = .fail(error)
            }
        }
    }

    /// Discards the file that was opened for a late answer.
    func giveUp() {
        if case .file(let file) = self { file.keepOrRemove(canContinue: file.initialRecord != nil) }
    }
}
