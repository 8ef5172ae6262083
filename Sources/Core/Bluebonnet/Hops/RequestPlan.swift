// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

package import Foundation
package import FoundationNetworking

/// The program's settings for one request: the request or the recipe that makes it, options, serializer, files and
/// blocks. A value in the operation's state, copied from it when the operation begins. `PreparedRequest` checks it.
package struct RequestPlan: Sendable {
    /// The source of the request.
    enum Source: Sendable {
        /// A request, and what is known about its header fields.
        case request(HTTPRequest, Fields = .unchecked)
        /// Completes the plan when the dependencies have ended, off the network thread.
        case recipe(Recipe)
        /// The recipe was used and released.
        case none
    }

    /// The known facts about the header fields of a request.
    package enum Fields: Sendable {
        case unchecked
        /// Names and values may be sent.
        case checked
        /// All fields that are sent.
        case sent(HeaderFields)
    }

    /// Completes a plan when its operation starts.
    package struct Recipe: Sendable {
        /// Whether the recipe is fast and runs no code of the program.
        let isQuick: Bool
        let complete: @Sendable (inout RequestPlan) throws -> Void

        package init(isQuick: Bool = false, _ complete: @escaping @Sendable (inout RequestPlan) throws -> Void) {
            (self.isQuick, self.complete) = (isQuick, complete)
        }
    }

    /// The parts that few requests have.
    private struct OptionalParts: Sendable {
        var files = RequestFiles()
        var output: StreamOutput?
        var blocks = RequestBlocks()
        var needsNewBodyStream = false
        var continuation: ArchivedPart?
        var expectedDigest: String?
        var idempotencyKey: IdempotencyKey?
        var revalidation: Box<CacheForward>?
    }

    private(set) var source: Source
    package var options: ResolvedOptions
    /// Nil if every response is delivered unchanged.
    var serializer: ResolvedSerializer?
    /// Whether the digest of the body is wanted even if no digest is expected.
    package var wantsDigest = false
    /// Nil if the request needs no such part.
    private var optionalParts: Box<OptionalParts>?

    package init(_ request: HTTPRequest, options: ResolvedOptions) { self.init(.request(request), options: options) }

    /// Makes a plan from Foundation's form of a request, which is converted here, once.
    package init(_ request: URLRequest, options: ResolvedOptions) { self.init(Source(request), options: options) }

    package init(recipe: Recipe, options: ResolvedOptions) { self.init(.recipe(recipe), options: options) }

    init(_ source: Source, options: ResolvedOptions) { (self.source, self.options) = (source, options) }

    private subscript<Part>(_ part: WritableKeyPath<OptionalParts, Part>) -> Part {
        get { (optionalParts?.value ?? OptionalParts())[keyPath: part] }
        set {
            var changed = optionalParts?.value ?? OptionalParts()
            changed[keyPath: part] = newValue
            optionalParts = Box(changed)
        }
    }
}

extension RequestPlan {
    /// The request; nil before a recipe has made it, and after the recipe was released.
    package var request: HTTPRequest? { if case .request(let request, _) = source { request } else { nil } }

    package mutating func setRequest(_ request: HTTPRequest, _ fields: Fields = .unchecked) {
        source = .request(request, fields)
    }

    /// - Throws: `badURL` if the request has no URL.
    package mutating func setRequest(_ request: URLRequest) throws(NetworkingError) {
        guard let request = HTTPRequest(request) else { throw NetworkingError(.badURL, "the request has no URL") }
        source = .request(request)
    }

    /// - Parameter check: a check of the accepted response, for a plan with `wantsDigest`.
    package mutating func setSerializer(_ serializer: some ResponseSerializer, check: ResponseCheck? = nil) {
        self.serializer = ResolvedSerializer(serializer, check: check)
    }

    /// The serializer; it also accepts redirects if `maximumRedirectCount` is 0.
    var effectiveSerializer: ResolvedSerializer? {
        options.value.maximumRedirectCount > 0 ? serializer : serializer?.acceptingRedirects
    }

    var files: RequestFiles {
        get { optionalParts?.value.files ?? RequestFiles() }
        set { self[\.files] = newValue }
    }

    package var uploadFile: URL? {
        get { optionalParts?.value.files.upload }
        set { self[\.files.upload] = newValue }
    }

    package var outputFile: URL? {
        get { optionalParts?.value.files.output }
        set { self[\.files.output] = newValue }
    }

    var streamedOutput: StreamOutput? {
        get { optionalParts?.value.output }
        set { self[\.output] = newValue }
    }

    var blocks: RequestBlocks {
        get { optionalParts?.value.blocks ?? RequestBlocks() }
        set { self[\.blocks] = newValue }
    }

    /// Whether another operation has the request's body stream too. A new stream is made if that is possible.
    var needsNewBodyStream: Bool { optionalParts?.value.needsNewBodyStream == true }

    /// The part of the body from an archive.
    var continuation: ArchivedPart? {
        get { optionalParts?.value.continuation }
        set { self[\.continuation] = newValue }
    }

    /// SHA-256 of the body in hexadecimal; nil if any body is accepted.
    package var expectedDigest: String? {
        get { optionalParts?.value.expectedDigest }
        set { self[\.expectedDigest] = newValue }
    }

    /// The request that validates a stored response in the background; nil for the program's requests.
    var revalidation: CacheForward? { optionalParts?.value.revalidation?.value }

    /// Returns the plan of a request that validates a stored response in the background.
    static func revalidating(_ request: HTTPRequest, _ forward: CacheForward, options: ResolvedOptions) -> RequestPlan {
        var plan = RequestPlan(request, options: options)
        plan[\.revalidation] = Box(forward)
        return plan
    }

    /// Nil if the request has no key, or has it in its own header field.
    package var idempotencyKey: IdempotencyKey? {
        get { optionalParts?.value.idempotencyKey }
        set { self[\.idempotencyKey] = newValue }
    }

    /// Whether the plan has objects of the program besides the request.
    var hasUserObjects: Bool {
        if case .request = source {} else { return true }
        if options.areRequestsAdapted { return true }
        guard let optionalParts = optionalParts?.value else { return false }
        return optionalParts.output != nil || !optionalParts.blocks.isEmpty
    }

    /// Returns the plan for a copy of the operation.
    ///
    /// - Parameter lastRequest: replaces a request whose recipe was released.
    func copied(lastRequest: HTTPRequest?) -> RequestPlan {
        var copy = self
        if case .none = source, let lastRequest { copy.setRequest(lastRequest) }
        copy.optionalParts = Box(
            OptionalParts(
                files: files, blocks: blocks, needsNewBodyStream: true, expectedDigest: expectedDigest,
                idempotencyKey: idempotencyKey?.ofCopy))
        return copy
    }

    /// Removes the recipe.
    ///
    /// - Returns: the recipe, to be released outside a lock.
    mutating func removeRecipe() -> Recipe? {
        guard case .recipe(let recipe) = source else { return nil }
        source = .none
        return recipe
    }

    /// Removes the parts that few requests have, including the program's blocks.
    mutating func removeProgramObjects() { optionalParts = nil }

    /// Removes and returns the pipe of a body that is delivered in chunks.
    mutating func removeChunkPipe() -> BodyPipe? {
        guard case .chunks(let pipe)? = optionalParts?.value.output else { return nil }
        streamedOutput = nil
        return pipe
    }
}

extension RequestPlan.Source {
    /// Makes a source from Foundation's form of a request, which may have no URL.
    init(_ request: URLRequest) {
        if let request = HTTPRequest(request) {
            self = .request(request)
        } else {
            self = .recipe(RequestPlan.Recipe(isQuick: true) { plan in try plan.setRequest(request) })
        }
    }
}

// MARK: - Preparation

extension RequestPlan {
    /// Returns the URL to which an operation with this plan would send its first request. Nothing is sent, and no file
    /// is opened.
    ///
    /// - Throws: the error with which the operation would fail before a connection is opened.
    package func checkedURL() throws(NetworkingError) -> URL { try PreparedRequest(try completed()).first.url }

    /// Makes the request, if a recipe makes it, and checks it.
    func prepared() -> Result<PreparedRequest, NetworkingError> {
        Result { () throws(NetworkingError) in try PreparedRequest(try completed()) }
    }

    private func completed() throws(NetworkingError) -> RequestPlan {
        guard case .recipe(let recipe) = source else { return self }
        var plan = self
        do {
            try recipe.complete(&plan)
            return plan
        } catch let error as NetworkingError {
            throw error
        } catch {
            throw NetworkingError(.invalidRequest, "the request could not be created: \(error)", underlying: error)
        }
    }
}

/// The files that a request names.
struct RequestFiles: Sendable {
    var upload: URL?
    var output: URL?
    var outputDirectory = OutputDirectory()
}

/// The program's blocks for one request, which make decisions while the request runs. They run off the network thread.
/// Each block gets the owner of the hop sequence that calls it: the operation.
@dynamicMemberLookup struct RequestBlocks: Sendable {
    typealias Owner = any HopSequenceOwner

    /// One block: in the form that the hop sequence calls, and as the program set it, to return it from a property.
    struct Block<Function: Sendable>: Sendable {
        let given: any Sendable
        let call: Function
    }

    /// The blocks. Few requests have any.
    struct Values: Sendable {
        var redirect: RedirectBlock?
        var challenge: ChallengeBlock?
        var serverTrust: ServerTrustBlock?
        var pinViolation: PinViolationBlock?
        var cacheResponse: CacheResponseBlock?
        var needNewBodyStream: (@Sendable () -> InputStream?)?
        var retry: RetryBlock?
        var response: ResponseBlock?
        var receivedData: ReceivedDataBlock?

        var isEmpty: Bool {
            redirect == nil && challenge == nil && serverTrust == nil && pinViolation == nil && cacheResponse == nil
                && needNewBodyStream == nil && retry == nil && response == nil && receivedData == nil
        }
    }

    typealias RedirectBlock = Block<
        @Sendable (Owner, _ proposed: URLRequest, _ response: HTTPURLResponse) async -> URLRequest?
    >
    typealias ChallengeBlock = Block<@Sendable (Owner, AuthenticationChallenge) async -> ChallengeAnswer>
    typealias ServerTrustBlock = Block<@Sendable (Owner, ServerTrustChallenge) async -> ServerTrustAnswer>
    typealias PinViolationBlock = Block<@Sendable (Owner, PinViolation) -> Void>
    typealias CacheResponseBlock = Block<@Sendable (Owner, CachedResponse) -> CachedResponse?>
    typealias RetryBlock = Block<@Sendable (Owner, RetryProposal) async -> RetryAnswer>
    typealias ResponseBlock = Block<@Sendable (Owner, ResponseHead, _ continues: Bool) async -> ResponseDisposition>
    typealias ReceivedDataBlock = Block<@Sendable (Owner, Data) -> Void>

    private var values: Box<Values>?

    subscript<Part>(dynamicMember part: WritableKeyPath<Values, Part?>) -> Part? {
        get { values?.value[keyPath: part] }
        set {
            var changed = values?.value ?? Values()
            changed[keyPath: part] = newValue
            values = Box(changed)
        }
    }

    var isEmpty: Bool { values?.value.isEmpty != false }
}
