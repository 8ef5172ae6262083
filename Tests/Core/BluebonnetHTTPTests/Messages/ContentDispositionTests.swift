// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import BluebonnetHTTP

@Suite struct ContentDispositionTests {
    // The examples of RFC 6266 (5) and RFC 8187 (3.2.2), and values from servers that do not follow these RFCs.
    @Test(arguments: [
        (#"Attachment; filename=example.html"#, "example.html"),
        (#"INLINE; FILENAME= "an example.html""#, "an example.html"),
        (#"attachment; filename*= UTF-8''%e2%82%ac%20rates"#, "€ rates"),
        (#"attachment; filename="EURO rates"; filename*=utf-8''%e2%82%ac%20rates"#, "€ rates"),
        (#"attachment; filename*=utf-8'en'%e2%82%ac%20rates; filename="EURO rates""#, "€ rates"),
        (#"attachment; filename*=iso-8859-1'en'%A3%20rates"#, "£ rates"),
        (#"attachment; filename*=ISO-8859-1''%A3"#, "£"),
        (#"attachment; filename="a\"b\\c""#, #"a"b\c"#),
        (#"attachment; filename="semi;colon""#, "semi;colon"),
        (#"attachment; filename="one"; filename="two""#, "one"),
        (#"attachment;filename=unquoted name.txt"#, "unquoted name.txt"),
        (#"attachment; foo=bar; filename=x"#, "x"), (#"attachment; broken; filename=x"#, "x"),
        (#"attachment; filename="%41""#, "A"), (#"attachment; filename="100%.txt""#, "100%.txt"),
        (#"attachment; filename="%e2%82%ac.txt""#, "€.txt"), (#"attachment; filename="%ff""#, "%ff"),
        (#"attachment; filename*=UTF8''x"#, "x"),
        (#"attachment; filename*=UTF-8''; filename="fallback.txt""#, "fallback.txt"),
        (#"attachment; filename="=?UTF-8?B?w6kudHh0?=""#, "é.txt"),
        (#"attachment; filename="=?utf-8?q?=C3=A9_a%b.txt?=""#, "é a%b.txt"),
        (#"attachment; filename="=?ISO-8859-1?Q?=E9?= =?UTF-8*en?B?LnR4dA==?=""#, "é.txt"),
        (#"attachment; filename="=?KLINGON?Q?a?=""#, "=?KLINGON?Q?a?="),
        (#"attachment; filename="=?UTF-8?B?*?=""#, "=?UTF-8?B?*?="), (#"form-data; name="f"; filename="x""#, "x"),
        (#"attachment; filename="日本語.txt""#, "日本語.txt"),
    ])
    func fileNameIsRead(value: String, name: String) {
        #expect(ContentDisposition(value)?.fileName == name)
    }

    @Test(arguments: [
        "attachment", "attachment;", "inline; filename", "attachment; filename=", "attachment; filename=\"cut off",
        "attachment; filename*=UTF-8''%zz", "attachment; filename*=UTF-8''%e2%82", "attachment; filename*=UTF-8''%4",
        "attachment; filename*=UTF-8''", "attachment; filename*=UTF-16''a", "attachment; filename*=a",
        "attachment; filename*=UTF-8''a/b",
    ])
    func fieldWithoutUsableNameHasNoFileName(value: String) {
        #expect(ContentDisposition(value)?.fileName == nil)
    }

    @Test(arguments: [
        #"attachment; filename*=UTF-8''%zz; filename=plain"#, #"attachment; filename*=KOI8-R''a; filename=plain"#,
    ])
    func plainNameReplacesUnreadableExtendedName(value: String) {
        #expect(ContentDisposition(value)?.fileName == "plain")
    }

    @Test func typeIsLowercased() {
        #expect(ContentDisposition("Attachment; filename=x")?.type == "attachment")
        #expect(ContentDisposition("") == nil)
        #expect(ContentDisposition("; filename=x") == nil)
        #expect(ContentDisposition("\"attachment\"; filename=x") == nil)
    }
}
