// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation
internal import Synchronization

// What happens off the network thread before a transfer: the request is made, and, once it was let in, its files are
// opened.
extension RequestRunner {
    /// Makes and checks the request: here when it is there already, else where making it may wait.
    func prepare() {
        phase = .preparing
        let (source, parts) = operation.shared.withLock { ($0.source, $0.parts) }
        if case .ready(let request) = source {
            preparedRequest = request
            return prepared(source.prepare(parts))
        }
        Queues.preparation.async { [operation] in
            let result = source.prepare(parts)
            NetworkThread.shared.submit { operation.network.value.current?.prepared(result) }
        }
    }

    func prepared(_ result: Result<PreparedRequest, NetworkingError>) {
        guard case .preparing = phase else { return }  // cancelled meanwhile
        phase = .idle
        switch result {
        case .failure(let error): end(with: error)
        case .success(let prepared):
            preparedRequest = prepared.request
            remainingTime = prepared.options.timeout?.nanoseconds
            let exchange = Exchange(prepared, operation: operation)
            if prepared.streamOutput != nil { watchConsumer(of: exchange.reception) }
            self.exchange = exchange
            cacheExchange = CacheExchange.make(for: prepared)
            noteLateParts(of: prepared)
            if !isHeld { lookUpOrEnqueue() }
        }
    }
}

extension RequestRunner {
    private func watchConsumer(of reception: Reception) {
        reception.roomAppeared = { [weak self] in self?.transferUnderWay?.resumeReceiving() }
        reception.consumerLeft = { [weak self] in self?.consumerLeft() }
    }

    private func noteLateParts(of prepared: PreparedRequest) {
        guard prepared.responseSerializer != nil || prepared.expectedDigest != nil else { return }
        operation.shared.withLock { state in
            state.extras.late.serializer = prepared.responseSerializer
            state.extras.late.validation = prepared.validation
            state.extras.late.expectedDigest = prepared.expectedDigest
        }
    }
}

extension RequestSource {
    /// Makes the request, unless it is there already, and checks it.
    fileprivate func prepare(_ parts: OperationParts) -> Result<PreparedRequest, NetworkingError> {
        Result { () throws(NetworkingError) in try PreparedRequest(try blueprint(), parts: parts) }
    }

    fileprivate func blueprint() throws(NetworkingError) -> RequestBlueprint {
        switch self {
        case .ready(let request): return RequestBlueprint(request: request)
        case .used: preconditionFailure("a request is made once")
        case .made(let make):
            do {
                return try make()
            } catch let error as NetworkingError {
                throw error
            } catch {
                throw NetworkingError(
                    .invalidRequest, "the request could not be made: \(error)", underlying: error)
            }
        }
    }
}

// MARK: - Files

extension RequestRunner {
    /// Opens the request's files, once it was let in: those that wait hold no descriptor.
    func openFiles(_ origin: Origin) {
        guard let exchange else { preconditionFailure("a transfer was let in before its request was made") }
        guard exchange.files == nil else { return beginTransfer(origin, exchange) }
        if let files = exchange.prepared.filesWithoutOpening {
            exchange.files = files
            return beginTransfer(origin, exchange)
        }
        phase = .opening(origin)
        guard !isOpening else { return }
        isOpening = true
        Queues.preparation.async { [operation, prepared = exchange.prepared] in
            let result = Result { () throws(NetworkingError) in try prepared.openFiles() }
            NetworkThread.shared.submit { operation.network.value.opened(result) }
        }
    }

    /// The files are open. An operation that was paused meanwhile keeps them for later.
    func opened(_ result: Result<PreparedRequest.Files, NetworkingError>) {
        isOpening = false
        if case .success(let files) = result {
            guard let exchange else { return files.giveUp() }  // cancelled meanwhile
            exchange.takeFiles(files)
        }
        guard case .opening(let origin) = phase, let exchange else { return }
        switch result {
        case .success: beginTransfer(origin, exchange)
        case .failure(let error):
            admission.release(origin: origin)
            end(with: error)
        }
    }
}
