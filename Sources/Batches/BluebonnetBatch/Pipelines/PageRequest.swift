// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet
internal import BluebonnetPipelines

extension RequestLine {
    /// Returns the line with the change of a page. The line's references must have been replaced.
    func changed(by change: PageChange) -> RequestLine {
        var line = self
        if change.hasLeftOrigin { line.leaveOrigin() }
        switch change.place {
        case .url(let url): (line.url, line.query) = (url, nil)
        case .parameter(.query(let name), let value):
            var query = line.query ?? JSONObject()
            query[name] = value
            line.query = query
        case .parameter(.json(let name), let value):
            var members = JSONObject()
            if case .json(.object(let given))? = line.body { members = given }
            members[name] = value
            line.body = .json(.object(members))
        }
        return line
    }

    /// Removes the fields and credentials that a redirect to another origin would remove.
    private mutating func leaveOrigin() {
        headers.removeAll { !HopRequest.isAllowedAcrossOrigins($0.name) }
        credential = nil
        security?.clientCertificate = nil
        security?.clientKey = nil
    }
}
