// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation

/// A text of 1,772 bytes: a hundred lines, `item 1: 5 euro` to `item 100: 500 euro`.
enum Catalogue {
    /// The text, compressed with gzip.
    static let compressed = Data(base64Encoded: base64, options: .ignoreUnknownCharacters) ?? Data()

    private static let base64 = """
        H4sIAAAAAAAC/1WVPU4EMRTGek4xR5jk5XfuswUFQkJwf54RRVzmiwvLms2+f78+rvJc/Xr9fH2+vXOsz1Xu4xx5Pu/bc9Xzvuf5
        vB/PFef9zPN5v56rnfc7z+d9udPnBAqCIlJxiEjHISIlp4i0nCJSc4lIzyUiRbeINN0qdZPqRGphEUNO9awEVdGatkVNa2cRk75F
        XetkEZPGRW3rZjmZwFl5A2f1DZwVOHBW4cBZiQNnNQ6cFTlwVuXAWZkDZ3VuN5/cybTCIiadqzq3YBHDp6vOjY9XnVs6V3Vuk0VM
        Old1bpvlZDrO6txxVueOszp3nNW546zOHWd17jirc8dZnTvO6txxVudx89M9mVFYxKRzqPMIFjHpHOo8OosYngl1HjwU6jzSOdR5
        bJaTmTir88RZnSfO6jxxVueJszpPnNV54qzOE2d1njir88RZndfNE3gyq7CISeemzitYxKRzU+fVWcSkc1PnNVnE8CSr8+JRVueN
        szpvnNV546zOG2d13jir88ZZnTfO6rxxVueNszpvnLf/Sf7+Sv6hX22x8xXsBgAA
        """
}
