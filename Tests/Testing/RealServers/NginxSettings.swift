// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation

/// The configuration file of an `NginxServer`.
struct NginxSettings {
    let folder: TemporaryFolder
    let documentRoot: URL
    let ports: [Int]
    /// Directives for the servers on the first two ports, each with its semicolon.
    let directives: String

    /// The text of the file. A single process does everything, so that it works for root and for other users without
    /// a change of user.
    var text: String {
        get throws {
            """
            daemon off;
            master_process off;
            pid \(folder.path("nginx.pid"));
            error_log stderr warn;
            events { worker_connections 4096; }
            http {
                access_log off;
                \(temporaryPaths)
                types { text/html html; text/plain txt; application/json json; image/png png; }
                default_type application/octet-stream;
                map $http_range $rate { "" 1m; default 0; }
                limit_req_zone $server_port zone=limited:1m rate=50r/s;
                keepalive_requests 100000000;
                absolute_redirect off;
                client_max_body_size 0;
                gzip on;
                gzip_min_length 1;
                gzip_types text/plain application/json;
                server {
                    listen 127.0.0.1:\(ports[0]) backlog=4096;
                    listen 127.0.0.1:\(ports[1]) ssl http2 backlog=4096;
                    ssl_certificate \(try TestCertificate.localhost.certificatePath);
                    ssl_certificate_key \(try TestCertificate.localhost.keyPath);
                    ssl_protocols TLSv1.2 TLSv1.3;
                    ssl_session_cache shared:sessions:1m;
                    root "\(documentRoot.path)";
                    \(directives)
                    \(locations)
                }
                server {
                    listen 127.0.0.1:\(ports[2]) ssl http2;
                    ssl_certificate \(try TestCertificate.chained.certificatePath);
                    ssl_certificate_key \(try TestCertificate.chained.keyPath);
                    ssl_protocols TLSv1.2 TLSv1.3;
                    ssl_client_certificate \(try TestCertificate.localhost.caPath);
                    ssl_verify_client optional;
                    ssl_stapling on;
                    ssl_stapling_file \(try TestCertificate.chained.ocspAnswer(.good));
                    \(tlsLocation)
                }
            }

            """
        }
    }

    private var temporaryPaths: String {
        ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map { "\($0)_temp_path \(folder.path($0));" }.joined(separator: "\n    ")
    }

    private var tlsLocation: String {
        let lines = ["ssl_protocol", "ssl_cipher", "ssl_alpn_protocol", "ssl_client_s_dn", "ssl_client_verify"]
        return "location = /tls { default_type text/plain; return 200 \"\(lines.map { "$\($0)\n" }.joined())\"; }"
    }

    // An upload goes through the proxy module, because `return` alone would answer before the body has arrived.
    private var locations: String {
        """
        \(tlsLocation)
                location = /tiny { default_type text/plain; return 200 "Hello, world!"; }
                location = /session { default_type text/plain; return 200 "$ssl_session_reused"; }
                location = /redirect { return 302 /tiny; }
                location = /redirect-307 { return 307 /upload; }
                location = /received { default_type text/plain; return 200 "received"; }
                location = /upload {
                    proxy_pass http://127.0.0.1:\(ports[0])/received;
                    proxy_method GET;
                    proxy_pass_request_body off;
                    proxy_set_header Content-Length "";
                }
                location ~ ^/to/(?<port>[0-9]+)/ {
                    rewrite ^/to/[0-9]+(/.*)$ $1 break;
                    proxy_pass http://127.0.0.1:$port;
                    proxy_http_version 1.1;
                    proxy_buffering off;
                    proxy_request_buffering off;
                    proxy_read_timeout 1h;
                }
                location /tagged/ { alias "\(documentRoot.path)/"; \(rate) }
                location /dated/ { alias "\(documentRoot.path)/"; etag off; \(rate) }
                location /bare/ { alias "\(documentRoot.path)/"; etag off; add_header Last-Modified ""; \(rate) }
                location /limited/ {
                    alias "\(documentRoot.path)/";
                    limit_req zone=limited;
                    limit_req_status 429;
                }
                location /whole/ { alias "\(documentRoot.path)/"; max_ranges 0; \(rate) }
        """
    }

    // A whole file is slow enough for a test to interrupt it; a range is not.
    private var rate: String { "limit_rate_after 256k; limit_rate $rate;" }
}
