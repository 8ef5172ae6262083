// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import FoundationXML
import Testing

@testable import Bluebonnet

@Suite struct XMLBodyTests {
    private func response(_ status: Int = 200, _ fields: [(name: String, value: String)] = []) throws -> ResponseHead {
        try ResponseHead(url: #require(URL(string: "http://h/")), statusCode: status, headers: HeaderFields(fields))
    }

    private func refused(_ body: Data) throws -> Bool {
        var count = 0
        for serializer in [XMLParserResponseSerializer(), XMLDocumentResponseSerializer()] as [any ResponseSerializer] {
            do {
                _ = try serializer.value(for: response(), body: body)
            } catch let error as NetworkingError {
                #expect(error.code == .cannotParseResponse)
                #expect(error.body == body)
                #expect(error.underlying is XMLSyntaxError)
                count += 1
            }
        }
        #expect(count == 0 || count == 2)
        return count == 2
    }

    @Test(arguments: [
        "", " ", "text", "<a>", "<a><b></a>", "<a/><b/>", "<a/>text", "</a>", "<a", "<a b=c/>", "<a b='1' b='2'/>",
        "<a>&nope;</a>", "<a>&#0;</a>", "<a><![CDATA[</a>", "<!-- -- --><a/>", "{\"a\":1}", "<a>\u{1}</a>",
        "<?xml version=\"1.0\"?>", "x<a/>",
    ])
    func malformedDocumentIsRefused(text: String) throws {
        #expect(try refused(Data(text.utf8)))
    }

    @Test(arguments: [
        "<a/>", "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<a b=\"c\">é&amp;<b/></a>\n", "<a><![CDATA[<b>]]></a>",
        "<!DOCTYPE a><!-- c --><a/><!-- d -->", "<?xml version=\"1.0\"?><?p i?><a xmlns=\"urn:x\"/>", "\u{FEFF}<a/>",
    ])
    func wellFormedDocumentIsAccepted(text: String) throws {
        #expect(try !refused(Data(text.utf8)))
    }

    @Test func documentNamesItsEncoding() throws {
        let body = Data("<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><a>".utf8) + [0xE9] + Data("</a>".utf8)
        let value = try XMLDocumentResponseSerializer().value(for: response(), body: body)
        #expect(try value?.makeDocument().rootElement()?.stringValue == "é")
        #expect(try refused(Data("<a>".utf8) + [0xE9] + Data("</a>".utf8)))
    }

    @Test func optionsOfADocumentCanBeReadAndChanged() throws {
        var serializer = XMLDocumentResponseSerializer(options: [.nodePreserveWhitespace])
        #expect(serializer.options == [.nodePreserveWhitespace])
        serializer.options = [.nodePreserveCDATA]
        let value = try serializer.value(for: response(), body: Data("<a><![CDATA[<b>]]></a>".utf8))
        #expect(serializer.options == [.nodePreserveCDATA])
        #expect(try value?.makeDocument().xmlString.contains("<![CDATA[<b>]]>") == true)
    }

    @Test func entityExpansionIsRefused() throws {
        let lines = (1..<10).map { level in
            "<!ENTITY e\(level) \"\(String(repeating: "&e\(level - 1);", count: 10))\">"
        }
        let text = "<!DOCTYPE a [<!ENTITY e0 \"aaaaaaaaaa\">\(lines.joined())]><a>&e9;</a>"
        #expect(try refused(Data(text.utf8)))
    }

    private func nested(_ count: Int) -> Data {
        Data((String(repeating: "<a>", count: count) + String(repeating: "</a>", count: count)).utf8)
    }

    @Test(arguments: [257, 100_000])
    func tooDeeplyNestedElementsAreAnError(count: Int) throws {
        #expect(try refused(nested(count)))
    }

    @Test func treeKeepsElementsNestedUpToTheLimit() throws {
        let document = try XMLBody(checking: nested(256)).makeDocument()
        var node: XMLNode? = document.rootElement()
        var count = 0
        while let element = node { (node, count) = (element.children?.first, count + 1) }
        #expect(count == 256)
    }

    @Test func localFilesAreNotLoadedIntoADocument() throws {
        let folder = try ScratchFolder()
        try folder.write("secret", to: "file")
        let url = folder.file("file").absoluteString
        let text = "<!DOCTYPE a [<!ENTITY x SYSTEM \"\(url)\">]><a>&x;</a>"
        for options in [XMLNode.Options.nodeLoadExternalEntitiesAlways, []] {
            let serializer = XMLDocumentResponseSerializer(options: options)
            let value = try serializer.value(for: response(), body: Data(text.utf8))
            #expect(try value?.makeDocument().xmlString.contains("secret") == false)
        }
        let collector = TextCollector()
        let parser = try XMLParserResponseSerializer().value(for: response(), body: Data(text.utf8))?.makeParser()
        parser?.delegate = collector
        _ = parser?.parse()
        #expect(!collector.text.contains("secret"))
    }

    @Test func parserHasNotStarted() throws {
        let value = try XMLParserResponseSerializer().value(for: response(), body: Data("<a>te<b/>xt</a>".utf8))
        let collector = TextCollector()
        let parser = try #require(value).makeParser()
        parser.delegate = collector
        #expect(parser.parse())
        #expect(collector.text == "text")
        #expect(collector.elements == ["a", "b"])
    }

    @Test func emptyBodyIsNilIfNoBodyIsExpected() throws {
        #expect(try XMLParserResponseSerializer().value(for: response(204), body: Data()) == nil)
        #expect(try XMLDocumentResponseSerializer().value(for: response(205), body: Data()) == nil)
        let head = try response(200, [("Content-Length", "4")])
        #expect(try XMLDocumentResponseSerializer().value(for: head, body: Data()) == nil)
    }

    @Test func afNetworkingTypesAndTheOptionalSuffixAreAccepted() {
        let plain = [XMLParserResponseSerializer().validation, XMLDocumentResponseSerializer().validation]
        let suffixed = XMLParserResponseSerializer(acceptsStructuredSuffix: true).validation
        for validation in plain {
            for type in ["application/xml", "Text/XML; charset=utf-8"] {
                #expect(validation.refusal(status: 200, contentType: type, bodyIsEmpty: false) == nil)
            }
            let refusal = validation.refusal(status: 200, contentType: "application/atom+xml", bodyIsEmpty: false)
            #expect(refusal?.code == .unacceptableContentType)
        }
        #expect(suffixed.refusal(status: 200, contentType: "application/atom+xml", bodyIsEmpty: false) == nil)
    }
}

private final class TextCollector: NSObject, XMLParserDelegate {
    var text = ""
    var elements: [String] = []

    func parser(_ parser: XMLParser, foundCharacters string: String) { text += string }

    func parser(
        _ parser: XMLParser, didStartElement elementName: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String]
    ) { elements.append(elementName) }
}
