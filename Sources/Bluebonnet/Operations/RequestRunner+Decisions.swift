// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

// What follows a transfer: the next one, a decision of the user's, or the way of the body through a stream.
extension RequestRunner {
    /// The transfer that reads from its connection.
    var transferUnderWay: (any Transfer)? {
        if case .transferring(let transfer, _) = phase { return transfer }
        return nil
    }

    func take(_ step: Exchange.NextStep, _ exchange: Exchange) {
        switch step {
        case .failed(let error): end(with: error)
        case .complete: close(exchange)
        case .pending: phase = .deciding
        case .another(let isRedirect):
            phase = .idle
            if isRedirect { summary.redirectCount += 1 }
            if !isHeld { enqueue() }
        }
    }

    /// A block of the user's has decided.
    func answered(_ answer: ExchangeQuestions.Answer, toQuestion number: Int) {
        guard let exchange, exchange.take(answer, toQuestion: number) else { return }
        if case .deciding = phase {
            return take(exchange.finishAfterAnswer(), exchange)
        }
        if let error = exchange.failure { return abort(with: error) }
        transferUnderWay?.resumeReceiving()  // one that is paused asks again when it is resumed
    }

    /// Waits until a streamed body is where it belongs. A pause comes too late then.
    private func close(_ exchange: Exchange) {
        guard let sink = exchange.sinkToClose else { return end(with: nil) }
        phase = .closing
        sink.close { [weak self] error in
            guard let self, case .closing = phase else { return }
            end(with: error)
        }
    }

    /// Nobody takes the body any more, or its stream does not.
    func consumerLeft() {
        guard let exchange else { return }
        abort(with: exchange.consumerError)
    }
}
