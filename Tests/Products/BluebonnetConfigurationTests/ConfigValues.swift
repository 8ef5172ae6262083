// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Configuration

extension ConfigValue {
    /// A list of texts.
    static func list(_ texts: String...) -> ConfigValue { ConfigValue(.stringArray(texts), isSecret: false) }
}
