// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import Bluebonnet

@Suite struct MIMETypesTests {
    @Test func tableIsReadLineByLine() {
        let types = MIMETypes(table: "# types\ntext/x-a\ta AA\nimage/b\n\nvideo/c c a # d\nno-type e\n")
        #expect(types.type(ofExtension: "a") == "text/x-a")
        #expect(types.type(ofExtension: "aa") == "text/x-a")
        #expect(types.type(ofExtension: "C") == "video/c")
        #expect(types.type(ofExtension: "d") == "application/octet-stream")
        #expect(types.type(ofExtension: "e") == "application/octet-stream")
    }

    @Test func commonTypeIsKnownWithoutTheTable() {
        let types = MIMETypes(table: "text/mine txt\n")
        #expect(types.type(ofExtension: "txt") == "text/mine")
        #expect(types.type(ofExtension: "PNG") == "image/png")
        #expect(types.type(ofExtension: "json") == "application/json")
        #expect(types.type(ofExtension: "") == "application/octet-stream")
    }

    @Test(arguments: ["cer", "CER", "crt", "der"]) func certificateHasAFNetworkingsType(name: String) {
        for table in ["", "application/pkix-cert cer crt\napplication/x-other der\n"] {
            #expect(MIMETypes(table: table).type(ofExtension: name) == "application/x-x509-ca-cert")
        }
    }

    @Test(arguments: [("png", "image/png"), ("jpg", "image/jpeg"), ("html", "text/html"), ("pdf", "application/pdf")])
    func systemAgreesOnCommonTypes(name: String, type: String) {
        #expect(MIMETypes.ofThisSystem.type(ofExtension: name) == type)
    }
}
