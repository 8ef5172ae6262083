// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// An insecure group for ephemeral Diffie-Hellman.
public enum DiffieHellmanGroup: Sendable {
    /// The second group of RFC 2409 (6.2), of 1024 bits.
    case of1024Bits
    /// A modulus of 2048 bits that is not prime, but the product of two primes.
    case composite
    /// A prime of 2048 bits, with a generator whose order has 64 bits.
    case smallSubgroup

    /// The path of a PEM file of the group.
    public var path: String {
        get throws { try CertificateFolder.shared.get().write("group.pem", text) }
    }

    private var text: String {
        switch self {
        case .of1024Bits:
            """
            -----BEGIN DH PARAMETERS-----
            MIGHAoGBAP//////////yQ/aoiFowjTExmKLgNwc0SkCTgiKZ8x0Agu+pjsTmyJR
            Sgh5jjQE3e+VGbPNOkMbMCsKbfJfFDdP4TVtbVHCReSFtXZiXn7G9ExC6aY37WsL
            /1y29Aa37e44a/taiZ+lrp8kEXxLH+ZJKGZR7OZTgf//////////AgEC
            -----END DH PARAMETERS-----

            """
        case .composite:
            """
            -----BEGIN DH PARAMETERS-----
            MIIBCAKCAQEAxaM4jjpbkdiHJG7tOzdCLrtzhNlSG5gftDyGtBOkOvC1v/fxjpQG
            0DBpKlUWppkRUM7O20ixhFPOh5H0KwxPMcD2z8zPXOTShYxt+TAALztlzzK4CA5o
            z7kGz1S4DWgdIMIY4CDSxdivTXRY2oByM1/DjVp/Cuozl1dvKkQisBsZvoJVuzNh
            DteaoKcnAQ2EPMEKqhjMIkPanYQYvVOZJfnZ7zSBdBVYJun6c3sfGdNnLAPlqnrD
            iiJFZfBLUgvGlV+ilC6mjfLN2889yg58v8zusJA1aEUyiQk27Av9dX3lN6iT7Fdv
            /3D4MdPKR938M2/Wki5j0cWvKB81zyL/LQIBAg==
            -----END DH PARAMETERS-----

            """
        case .smallSubgroup:
            """
            -----BEGIN DH PARAMETERS-----
            MIICCQKCAQEAgBZZZ6PaAay+eJxbftpaxhraMpD56Yu5LaUODrxgbRwNqCvqmcpK
            YytuR0PoZy55KRjSmacNAtbECP3gxF+5L1NxEDLpAdHuLHfnvBhhu6vBpo1sO+A0
            lvPOw8RRqApacnwATRWXf/LAvdOxsr8/Ma6pOx2Ro3Q7lQdE5IlKZoUEbYDiRbdj
            xkG+Rcqij2G5nP89n8QZMkE08YinirsD7shjyUVvukSwC+JmF+mnPaR1F4iz3qlH
            vzQcOFEHE3NzcLQoisaaplrPSlm+IZbGVukV0DswGiOCehCJh6KvD3CGcpOLuANZ
            3GxOZP1uahpt8xn0PRlAYQAgOBpamzw1TQKCAQAzTKyiun2WtNIiPFzVnlLzuUwd
            Tt0Fqk8ayd10XQ01eqSBDct6qur5cqHFc0I5jCFY/oMnWMl7uYd+baQB1SjQEYlj
            scv2VEYMQV/x37mdiYovpCTv5yvGU+D6v30Mpc4+9C+VpK+j9/mZoENhOptzNIgp
            PuCuzJDxve9zctJZ7YeCHLayFNMMwP6t79WaHWoAeAhalHJAgUToOuwTBVLoCbR7
            JOCt2scJSWW5wqvAMdEYRx9lWA0KDSX9YBQPas6xp6XFeUstN1DY2JTOeSHRjePy
            E5W9C3LFEOX0eLuzThC8mq5pzs08J8NczE5JLGdzG7CMS0zICzSvzamDpGE5
            -----END DH PARAMETERS-----

            """
        }
    }
}
