// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetBatch
import BluebonnetFleet
import BluebonnetJournal
import BluebonnetPipelines
import BluebonnetStreams
import BluebonnetTestServer
import BluebonnetTesting
import Foundation
import FoundationNetworking
import FoundationXML
import NIOCore
import NIOHTTP1
import NIOSSL
import Testing

/// Programs import the library together with Foundation and Swift NIO. A name that two of the modules share would be
/// ambiguous in this file, and the file would not compile. Benchmarks checks async-http-client's names in the same
/// way.
@Suite struct PublicNamesTests {
    /// Every public type of the library, by its unqualified name.
    private static let types: [Any.Type] =
        operations + sessions + serializers + trust + batches + events + journals + fleets + testing + testServer + [
            HTTPProtocolVersion.self, HTTPRequest.self, HeaderFields.self, ResponseHead.self, NetworkingError.self,
            LibraryError.self,
            JSONValue.self, JSONObject.self, JSONNumber.self, JSONSyntaxError.self, JSONPath.self,
            JSONPathError.self, JSONPathLimitError.self, PropertyListValue.self,
            PropertyListSyntaxError.self,
            ServerSentEvent.self, EventStreamPolicy.self, StreamItemError.self,
            QueryEncoder.self, Cookie.self, CookieJar.self, (any ResponseCache).self, CachedResponse.self,
            InMemoryResponseCache.self, CachePolicy.self, CacheStatus.self, CacheKeyPair.self, CacheEntry.self,
            CacheChange.self, CacheBody.self, CacheBodyFile.self, IPAddress.self, NetworkInterface.self,
            NetworkReachability.self,
            NetworkReachabilityManager.self, NetworkReachabilityStatus.self, NetworkRoute.self, NetworkThread.self,
            Tuning.self,
        ]

    private static let operations: [Any.Type] = [
        RequestOperation.self, HTTPRequestOperation.self, RequestOperationManager.self, RequestOperationQueue.self,
        OperationArchive.self, BodyChunks.self, ExistingFilePolicy.self, AuthenticationChallenge.self,
        ChallengeAnswer.self, TransferFeatures.self, TransferOptions.self, Timeouts.self, TransferSummary.self,
        TransferTimings.self,
        Proxy.self, ProxyConfiguration.self, Netrc.self, LowSpeedLimit.self, ConnectionLimits.self, RetryPolicy.self,
        RetryProposal.self, RetryAnswer.self, RetriedAttempt.self, IdempotencyKey.self,
        (any Authenticator).self, SharedAuthenticator.self, BearerAuthenticator.self, BearerToken.self,
        TokenEndpoint.self, TokenError.self, TokenFile.self, (any RequestAdapter).self, BlockRequestAdapter.self,
        OutgoingBody.self,
        DependentRequest.self, (any URLReference).self, WebLinks.self,
        Governor.self, OriginLimits.self, RateLimit.self, CircuitBreaker.self, OriginStatus.self,
        DrainSummary.self, DependencyCycle.self, FailedDependencyPolicy.self, Response<Int>.self,
        ResponseDisposition.self,
    ]

    private static let sessions: [Any.Type] = [
        SessionTask.self, SessionManager.self, HTTPSessionManager.self, (any SessionManaging).self,
        SessionBlocks.self, SessionConfiguration.self, NetworkActivityMonitor.self,
    ]

    private static let serializers: [Any.Type] = [
        (any RequestSerializer).self, HTTPRequestSerializer.self, JSONRequestSerializer.self,
        PropertyListRequestSerializer.self, RequestProperties.self, RequestBody.self, QuerySerialization.self,
        MultipartFormData.self, MultipartBodyStream.self, (any ReplayableBodyStream).self,
        (any ResponseSerializer).self, ResponseValidation.self, HTTPResponseSerializer.self,
        JSONResponseSerializer.self, DecodableResponseSerializer<Int>.self, PropertyListResponseSerializer.self,
        XMLParserResponseSerializer.self, XMLDocumentResponseSerializer.self, XMLBody.self, XMLSyntaxError.self,
        CompoundResponseSerializer.self, CompoundFailure.self, StringResponseSerializer.self,
    ]

    private static let trust: [Any.Type] = [
        SecurityPolicy.self, SecurityPolicyTable.self, PinningMode.self, PinSet.self, PublicKeyPin.self,
        PinViolation.self, ReportOnlyPins.self, ServerCertificate.self, ServerTrustChallenge.self,
        ServerTrustAnswer.self, TrustedAuthorities.self, ClientIdentity.self, TLSOptions.self,
        TLSProtocolVersion.self, TLSInformation.self,
    ]

    private static let events: [Any.Type] = [
        (any EventMonitor).self, EventMonitors.self, RequestEvent.self, WaitReason.self, ManagerStatistics.self,
        OriginStatistics.self, Redaction.self,
    ]

    private static let batches: [Any.Type] = [
        Call.self, Batch.self, BatchGraph.self, (any BatchMember).self, BatchOutcome.self, BatchProgress.self,
        RequestHandle<Int>.self, (any ResultSource).self, ResultDependency.self,
        AllSources<RequestHandle<Int>>.self, FallbackSource<RequestHandle<Int>>.self,
        MappedSource<RequestHandle<Int>, Int>.self, OutcomeSource<RequestHandle<Int>>.self, NumberedLine.self,
        ReferenceSource.self, ReferenceTemplate.self, RequestLine.self, RequestLineError.self, RequestLineErrors.self,
        RequestLineGraph.self, RequestLineParser.self, RequestLinePlan.self, RequestLineRunner.self, ResultLine.self,
        TextPattern.self, BatchExpansion.self, ExpandedHandle<Int>.self, Page<Int>.self, Pages<Int>.self,
        Items<Int>.self, Pagination.self, StreamResponse.self, ResponseItems<Int>.self, EventStream<Int>.self,
        DecodedEvent<Int>.self,
    ]

    private static let journals: [Any.Type] = [
        DurableBatch.self, JournalBatch.self, JournalError.self, JournalRecord.self, (any JournalStore).self,
        JournalSummary.self, SQLiteJournal.self,
    ]

    private static let fleets: [Any.Type] = [
        CronExpression.self, FailureGroup.self, Fleet.self, FleetAuthenticator<BearerAuthenticator>.self,
        FleetBatch.self, FleetError.self, FleetMember.self, FleetOrigin.self, FleetSchedule.self, FleetSettings.self,
        ResultCondition.self, ScheduleRule.self, StoreFinding.self,
        FleetWorker.self,
    ]

    private static let testing: [Any.Type] = [
        ExpectedRequest.self, RecordedBody.self, RecordedExchange.self, RecordedField.self, RecordingRedaction.self,
        SentRequest.self, SentRequestsDifference.self, TestAnswer.self, TestClock.self, TrafficRecording.self,
        UnplayedExchanges.self,
    ]

    private static let testServer: [Any.Type] = [
        DiffieHellmanGroup.self, FaultPlan.self, FaultProxy.self, FaultSchedule.self, Gate.self, Observed<Int>.self,
        ReceivedRequest.self, Reply.self, TemporaryFolder.self, TestCertificate.self, TestServer.self,
        TestServerError.self, TunnelStall.self,
        WireFields.self,
    ]

    /// A type's name without its module, its generic arguments and `any`.
    private static func name(of type: Any.Type) -> String {
        let name = String(describing: type).prefix { $0 != "<" }
        return String(name.hasPrefix("any ") ? name.dropFirst(4) : name)
    }

    @Test func publicTypeNamesAreUnambiguousWithFoundationAndNIO() {
        let isOurs = { (path: String) in
            [
                "Core/Bluebonnet/", "Core/BluebonnetHTTP/", "Core/BluebonnetNetwork/", "Core/BluebonnetStreams/",
                "Batches/BluebonnetBatch/",
                "Batches/BluebonnetFleet/", "Batches/BluebonnetJournal/", "Batches/BluebonnetPipelines/",
                "Testing/BluebonnetTestServer/", "Testing/BluebonnetTesting/",
            ].contains { path.hasPrefix("Sources/" + $0) }
        }
        let declaration = /^(?:public|open) (?:final )?(?:actor|class|enum|protocol|struct) (\w+)/
        let names = StyleTests.sources.filter { isOurs($0.path) }.flatMap(\.lines)
            .compactMap { $0.firstMatch(of: declaration).map { String($0.output.1) } }
        #expect(Set(names).subtracting(Self.types.map(Self.name)).sorted() == [])
        #expect(Set(Self.types.map(Self.name)).subtracting(names).sorted() == [])
        #expect(Self.types.count == names.count)
    }

    /// The library's types avoid the names that NIO uses.
    @Test func nioNamesReferToNIOTypes() {
        let headers: HTTPHeaders = ["A": "1"]
        let version: HTTPVersion = .http1_1
        let head: NIOHTTP1.HTTPResponseHead = HTTPResponseHead(version: version, status: .ok, headers: headers)
        let fields: HeaderFields = ["A": "1"]
        #expect(head.headers.first(name: "a") == fields["a"])
        #expect(TLSVersion.tlsv12 != .tlsv13 && TLSProtocolVersion.v12 != .v13)
        let parameters: Parameters = ["a": 1]
        #expect(parameters.count == 1)
    }
}
