// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

extension FuzzTarget {
    /// Every target, in the order in which `Scripts/fuzz` runs them.
    public static let all: [FuzzTarget] =
        [
            heads, fields, chunks, dates, dispositions, structuredFields, cacheRequests, retryHints,
            redirects, urls, json, csv,
            jsonPaths, propertyLists, texts, queries, multipartForms, certificates, proxies, netrc, references,
            resultLines, journals, archives, curlCommands, eventStreams, lines, jsonStreams, servedRequests,
        ] + internals

    /// Targets that need `@testable` access to internals.
    private static var internals: [FuzzTarget] {
        #if DEBUG || BLUEBONNET_FUZZING
            [challenges, contentCodings, cookieFiles, databaseValues, netlink, ranges, requestLines, setCookies]
        #else
            []
        #endif
    }
}
