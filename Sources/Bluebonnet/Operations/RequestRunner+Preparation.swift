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
        let (source, parts) = operation.sourceAndParts
        switch source {
        case .ready: prepared(source.prepare(parts))
        case .derived:
            PreparationRound.shared.value.add { [operation] in
                let result = source.prepare(parts)
                return { operation.runner?.prepared(result) }
            }
        case .made, .used:
            Queues.preparation.async { [operation] in
                let result = source.prepare(parts)
                NetworkThread.shared.submit { operation.runner?.prepared(result) }
            }
        }
    }

    func prepared(_ result: Result<PreparedRequest, NetworkingError>) {
        guard case .preparing = phase else { return }  // cancelled meanwhile
        phase = .idle
        switch result {
        case .failure(let error): end(with: error)
        case .success(let prepared):
            remainingTime = prepared.resolvedOptions.timeout
            self.prepared = prepared
            if prepared.continuation != nil { _ = madeExchange(prepared) }  // part of the body is there before
            cacheExchange = CacheExchange.make(for: prepared)
            noteLateParts(of: prepared)
            if !isHeld { lookUpOrEnqueue() }
        }
    }
}

extension RequestRunner {
    private func madeExchange(_ prepared: PreparedRequest) -> Exchange {
        if let exchange { return exchange }
        let made = Exchange(prepared, owner: operation)
        if prepared.hasOutput { watchConsumer(of: made) }
        exchange = made
        return made
    }

    private func watchConsumer(of exchange: Exchange) {
        exchange.watchConsumer(
            roomAppeared: { [weak self] in self?.transferUnderWay?.resumeReceiving() },
            consumerLeft: { [weak self] in self?.consumerLeft() })
    }

    private func noteLateParts(of prepared: PreparedRequest) {
        guard prepared.hasLateParts else { return }
        let late = LateParts(serializer: prepared.responseSerializer, expectedDigest: prepared.expectedDigest)
        operation.shared.withLock { $0.extras.late = late }
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
        case .made(let make), .derived(let make):
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
    /// Opens the request's files, once it was let in: those that wait hold no descriptor. Reads what TLS needs, for
    /// each hop that needs something else.
    func openFiles(_ origin: Origin) {
        guard let prepared else { preconditionFailure("a transfer was let in before its request was made") }
        let exchange = madeExchange(prepared)
        do throws(NetworkingError) {
            guard let opening = try exchange.opening(for: origin) else { return beginTransfer(origin, exchange) }
            phase = .opening(origin)
            if !isOpening { open(opening) }
        } catch {
            admission.release(origin: origin)
            end(with: error)
        }
    }

    private func open(_ opening: HopOpening) {
        isOpening = true
        let open: PreparationRound.Item = { [operation] in
            let result = opening.open(isDigested: operation.isDigestWanted)
            return { operation.opened(result) }
        }
        if let folder = opening.onlyFolder {
            PreparationRound.shared.value.add(folder: folder, open)
        } else {
            Queues.preparation.async { NetworkThread.shared.submit(open()) }
        }
    }

    /// The files are open. An operation that was paused meanwhile keeps them for later.
    func opened(_ result: Result<HopOpening.Opened, NetworkingError>) {
        isOpening = false
        if case .success(let opened) = result {
            guard let exchange else { return opened.files?.giveUp() ?? () }  // cancelled meanwhile
            exchange.take(opened)
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
