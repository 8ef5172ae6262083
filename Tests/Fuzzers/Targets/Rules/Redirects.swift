// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetHTTP
import Foundation

extension FuzzTarget {
    /// A chain of redirects. The first line has a byte with options and the first URL. Each further line has a byte
    /// that chooses the status, and a `Location`.
    static let redirects = FuzzTarget("redirects") { input in
        var input = input
        let options = input.byte()
        guard let first = try? RequestCheck.url(input.text()) else { return }
        let policy = RedirectPolicy(
            limit: 5, allowsInsecureTarget: options & 1 == 1, keepsDotSegments: options & 2 == 2)
        let headers: HeaderFields = [
            "Authorization": "secret", "X-Key": "secret", "Accept": "*/*", "Content-Type": "a/b",
        ]
        var request = HopRequest(
            HTTPRequest(options & 4 == 4 ? "POST" : "GET", url: first, headers: headers), hasBody: options & 4 == 4)
        var chain = RedirectChain(request, policy: policy)
        var hasLeft = false
        while !input.isEmpty {
            let status = [301, 302, 303, 307, 308, 300, 200, 304][input.number(below: 8)]
            let block = locationBlock(input.line())
            guard case .follow(let next) = chain.decision(status: status, locations: block.locations) else { continue }
            hasLeft = hasLeft || Origin(next.url) != Origin(request.url)
            try checkHop(from: request, to: next, policy, hasLeft: hasLeft)
            chain.follow(next)
            request = next
            try hold(chain.hopCount <= policy.limit, "\(chain.hopCount) redirects are followed")
        }
    }

    private static func locationBlock(_ value: ArraySlice<UInt8>) -> FieldBlock {
        var block = FieldBlock()
        (Array("Location: ".utf8) + value).withUnsafeBytes { try? block.append($0) }
        return block
    }

    private static func checkHop(
        from old: HopRequest, to new: HopRequest, _ policy: RedirectPolicy, hasLeft: Bool
    ) throws {
        try checkURL(new.url)
        let scheme = new.url.scheme?.lowercased()
        let wasSecure = old.url.scheme?.lowercased() == "https"
        try hold(scheme == "https" || !wasSecure || policy.allowsInsecureTarget, "\(new.url) is not less secure")
        try holdSame(new.carriesCredentials, !hasLeft, "credentials stay with their origin at \(new.url)")
        try holdSame(new.headers.contains(name: "Authorization"), !hasLeft, "Authorization at \(new.url)")
        try holdSame(new.headers.contains(name: "X-Key"), !hasLeft, "a field of the caller's at \(new.url)")
        try hold(new.headers.contains(name: "Accept"), "Accept goes everywhere")
        try hold(!new.hasBody || old.hasBody && new.method == old.method, "a body goes with its method")
        let isSame = Origin(old.url) == Origin(new.url)
        let userInfo = URLText(new.url.absoluteString).userInfo
        try hold(
            userInfo == nil || isSame && userInfo == URLText(old.url.absoluteString).userInfo,
            "\(new.url) has no user information of the server's")
        if !policy.keepsDotSegments {
            try hold(DotSegments.removed(from: new.url) == nil, "\(new.url) has dot segments")
        }
    }
}
