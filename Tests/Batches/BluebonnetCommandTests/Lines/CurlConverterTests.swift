// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import BluebonnetCommand

@Suite struct CurlConverterTests {
    /// The members of the line for a command, without `"redirects":0` and the URL `http://h/`, which nearly all have.
    private func members(_ arguments: String) -> String? {
        let converted = ConvertedText("curl http://h/ \(arguments)", CurlConverter())
        #expect(converted.error == nil && converted.texts.count == 1, "\(arguments)")
        return converted.texts.first?.replacing(#""redirects":0,"#, with: "").replacing(
            #","url":"http://h/"}"#, with: "}"
        )
        .replacing(#""url":"http://h/"}"#, with: "}")
    }

    private static let options: [(String, String)] = [
        ("", "{}"), ("-X PURGE", #"{"method":"PURGE"}"#), ("-XDELETE", #"{"method":"DELETE"}"#),
        ("-I", #"{"method":"HEAD"}"#), ("--request PUT -I", #"{"method":"PUT"}"#),
        ("-H 'A: b: c' -H 'D;' --header 'e:f'", #"{"headers":{"A":"b: c","D":"","e":"f"}}"#),
        ("-H 'A: 1' -H 'A: 2' -H 'Accept:' -H 'B: 1' -H 'b:'", #"{"headers":{"A":"1, 2"}}"#),
        ("-H 'Content-Length: 3' -H 'Connection: close'", "{}"),
        ("-A agent -e http://r/", #"{"headers":{"Referer":"http://r/","User-Agent":"agent"}}"#),
        ("-b a=1 --cookie 'b=2; c=3' -H 'Cookie: d=4'", #"{"headers":{"Cookie":"d=4; a=1; b=2; c=3"}}"#),
        ("-r 0-99 --oauth2-bearer t", #"{"headers":{"Authorization":"Bearer t","Range":"bytes=0-99"}}"#),
        ("-u ada:a:b --digest", #"{"credential":{"password":"a:b","user":"ada"}}"#),
        ("-k", #"{"security":{"allowInvalidCertificates":true,"validatesHost":false}}"#),
        (
            #"--cacert ca.pem --cert 'a\:b.pem' --key k --cert-type PEM"#,
            #"{"security":{"ca":"ca.pem","clientCertificate":"a:b.pem","clientKey":"k"}}"#
        ),
        ("-x p:3128 -U 'u:p w'", #"{"proxy":"http://u:p%20w@p:3128"}"#), ("--noproxy '*'", #"{"proxy":""}"#),
        ("-x socks5h://p", #"{"proxy":"socks5h://p"}"#), ("--socks5-hostname p:1", #"{"proxy":"socks5h://p:1"}"#),
        ("--http1.1", #"{"httpVersion":"1.1"}"#), ("--http2", #"{"httpVersion":"2"}"#),
        ("--http2-prior-knowledge", #"{"httpVersion":"2-prior-knowledge"}"#),
        ("--unix-socket /run/s", #"{"unixSocket":"/run/s"}"#), ("--resolve h:80:::1", #"{"resolve":{"h":"::1"}}"#),
        ("-m 1.5 --connect-timeout 2", #"{"connectTimeout":2,"timeout":1.5}"#), ("-m 0", "{}"),
        ("-y 30", #"{"idleTimeout":30}"#), ("-Y 1 -y 30", #"{"idleTimeout":30}"#),
        ("--retry 3", #"{"retry":4}"#),
        ("--retry 3 --retry-max-time 60", #"{"retry":{"attempts":4,"maxTime":60}}"#),
        ("--max-filesize 9", #"{"maxBody":9}"#),
        ("-o a", #"{"output":"a"}"#), ("-o a --output-dir d", #"{"output":"d/a"}"#), ("-o -", "{}"),
        ("-OJ", #"{"output":"./"}"#), ("-OJ --output-dir d -C -", #"{"output":"d/"}"#),
        ("-sSvif -N -# -Z -w '%{http_code}' --stderr f --no-progress-meter --compressed --fail-with-body", "{}"),
        ("-H 'Accept-Encoding: gzip, br' --compressed", "{}"),
        ("-H 'Accept-Encoding: gzip' --compressed", #"{"headers":{"Accept-Encoding":"gzip"}}"#),
        ("-H 'Accept-Encoding: br'", #"{"decode":false,"headers":{"Accept-Encoding":"br"}}"#),
        ("-- ", "{}"),
    ]

    @Test(arguments: options)
    func optionBecomesItsField(arguments: String, expected: String) {
        #expect(members(arguments) == expected)
    }

    private static let formType = #""headers":{"Content-Type":"application/x-www-form-urlencoded"}"#

    private static let bodies: [(String, String)] = [
        ("-d b=2 -d a=x+y%26", #"{"form":{"a":"x y&","b":"2"},"method":"POST"}"#),
        ("-d ''", #"{"form":{},"method":"POST"}"#), ("-d a=1 -X PUT", #"{"form":{"a":"1"},"method":"PUT"}"#),
        ("-d a=1 -d a=2", #"{\#(formType),"method":"POST","text":"a=1&a=2"}"#),
        ("-d '{\"a\":1}'", #"{\#(formType),"method":"POST","text":"{\"a\":1}"}"#),
        ("-d 'a b'", #"{\#(formType),"method":"POST","text":"a b"}"#),
        ("--data-raw @a", #"{\#(formType),"method":"POST","text":"@a"}"#),
        ("--data-urlencode 'a=b c' --data-urlencode '=d'", #"{"form":{"a":"b c","d":null},"method":"POST"}"#),
        ("-d '{\"a\": 1.50}' -H 'content-type: application/json'", #"{"json":{"a":1.50},"method":"POST"}"#),
        (
            "-d '{\"a\":1,\"a\":2}' -H 'Content-Type: application/json'",
            #"{"headers":{"Content-Type":"application/json"},"method":"POST","text":"{\"a\":1,\"a\":2}"}"#
        ),
        (
            "--json '{\"a\":' --json '[]}'",
            #"{"headers":{"Accept":"application/json"},"json":{"a":[]},"method":"POST"}"#
        ),
        (
            "--json x -H 'Accept: a/b'",
            #"{"headers":{"Accept":"a/b","Content-Type":"application/json"},"method":"POST","text":"x"}"#
        ),
        ("-d x -H 'Content-Type: text/plain; charset=utf-8'", #"{"method":"POST","text":"x"}"#),
        ("-d x -H 'Content-Type: a/b'", #"{"headers":{"Content-Type":"a/b"},"method":"POST","text":"x"}"#),
        ("-d '${a} $${b}'", #"{\#(formType),"method":"POST","text":"$${a} $$${b}"}"#),
        ("--data-binary @f", #"{"file":"f",\#(formType),"method":"POST"}"#),
        ("--data-binary @f -H 'Content-Type:'", #"{"file":"f","method":"POST"}"#),
        (
            "--json @f",
            #"{"file":"f","headers":{"Accept":"application/json","Content-Type":"application/json"},"method":"POST"}"#
        ),
        (
            "-F a=b -F 'c=@d;type=text/plain; x=y;filename=\"e\\\"f\"' -F 'g=\"h;i\"' --form-string 'j=@k;type=l'",
            #"{"method":"POST","multipart":[{"name":"a","value":"b"},{"contentType":"text/plain; x=y","file":"d","filename":"e\"f","name":"c"},{"name":"g","value":"h;i"},{"name":"j","value":"@k;type=l"}]}"#
        ),
        ("-G -d a=1 --data-urlencode 'b=2 3'", #"{"query":{"a":"1","b":"2 3"}}"#),
        ("-G -d a=1 -I", #"{"method":"HEAD","query":{"a":"1"}}"#),
        ("--url-query +a=%20 -d b=1", #"{"form":{"b":"1"},"method":"POST","query":{"a":" "}}"#),
    ]

    @Test(arguments: bodies)
    func dataBecomesABodyOrAQuery(arguments: String, expected: String) {
        #expect(members(arguments) == expected)
    }

    private static let commands: [(String, [String])] = [
        ("curl h", [#"{"redirects":0,"url":"http://h"}"#]),
        ("curl h:8080/x", [#"{"redirects":0,"url":"http://h:8080/x"}"#]),
        ("/usr/bin/curl -L https://h/", [#"{"url":"https://h/"}"#]),
        ("curl -L --max-redirs 3 https://h/", [#"{"redirects":3,"url":"https://h/"}"#]),
        (
            "curl -o x --url http://h/a http://h/b -O -m 1",
            [
                #"{"output":"x","redirects":0,"timeout":1,"url":"http://h/a"}"#,
                #"{"output":"b","redirects":0,"timeout":1,"url":"http://h/b"}"#,
            ]
        ),
        (
            "curl http://h/a --next -I http://h/b -: -d '' h",
            [
                #"{"redirects":0,"url":"http://h/a"}"#, #"{"method":"HEAD","redirects":0,"url":"http://h/b"}"#,
                #"{"form":{},"method":"POST","redirects":0,"url":"http://h"}"#,
            ]
        ),
        (
            "curl --remote-name-all http://h/a/b.c?d http://h/e",
            [
                #"{"output":"b.c","redirects":0,"url":"http://h/a/b.c?d"}"#,
                #"{"output":"e","redirects":0,"url":"http://h/e"}"#,
            ]
        ),
        ("curl -T d/f g.h/", [#"{"file":"d/f","method":"PUT","redirects":0,"url":"http://g.h/f"}"#]),
        ("curl -T f http://h/x", [#"{"file":"f","method":"PUT","redirects":0,"url":"http://h/x"}"#]),
        ("curl -g 'http://h/{a}[1]'", [#"{"redirects":0,"url":"http://h/{a}[1]"}"#]),
        ("curl 'http://[::1]:8080/'", [#"{"redirects":0,"url":"http://[::1]:8080/"}"#]),
        ("curl -G -d a=1 -d a=2 'http://h/?b#c'", [#"{"redirects":0,"url":"http://h/?b&a=1&a=2#c"}"#]),
        ("# two\ncurl -LI h\n\ncurl -L i", [#"{"method":"HEAD","url":"http://h"}"#, #"{"url":"http://i"}"#]),
        ("", []),
    ]

    @Test(arguments: commands)
    func everyURLBecomesALine(text: String, expected: [String]) {
        let converted = ConvertedText(text, CurlConverter())
        #expect(converted.error == nil)
        #expect(converted.texts == expected)
    }

    /// As a browser copies it.
    @Test func copiedCommandOfABrowserIsConverted() {
        let text = #"""
            curl 'https://api.example.com/v1/items?page=2' \
              -H 'accept: application/json' \
              -H 'accept-encoding: gzip, deflate, br, zstd' \
              -H 'content-type: application/json' \
              -b 'session=abc; theme=dark' \
              --data-raw $'{"name":"it\'s new\u0021"}' \
              --compressed
            """#
        let converted = ConvertedText(text, CurlConverter(), sliceByteCount: 7)
        #expect(
            converted.texts == [
                #"{"headers":{"Cookie":"session=abc; theme=dark","accept":"application/json"},"json":{"name":"it's new!"},"#
                    + #""method":"POST","redirects":0,"url":"https://api.example.com/v1/items?page=2"}"#
            ])
    }

    @Test func fileDataIsSentUnchangedWithAWarning() {
        let converted = ConvertedText("\ncurl -d @f h i", CurlConverter())
        #expect(converted.texts.count == 2 && converted.texts.allSatisfy { $0.contains(#""file":"f""#) })
        let text = "-d @FILE: the file is sent as it is; curl removes its line ends"
        #expect(converted.warnings == [ConversionError(line: 2, text)])
    }
}
