// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

#if DEBUG || BLUEBONNET_FUZZING
    @testable import Bluebonnet
    @testable import BluebonnetNetwork

    extension FuzzTarget {
        /// A datagram of the kernel's routing socket. The first byte chooses the questions asked before.
        static let netlink = FuzzTarget("netlink") { input in
            var input = input
            let phase = input.byte()
            let bytes = Array(input.rest)
            let messages = bytes.withUnsafeBytes { NetlinkParser.messages(in: $0) }
            try hold(messages.count * 16 <= bytes.count, "\(messages.count) messages have a head each")
            var table = NetworkTable()
            for message in messages { table.apply(message.body) }
            for address in table.localAddresses {
                try hold(IPAddress(address.description) == address, "\(address) is read again")
            }
            try checkDialogue(messages, phase: phase)
        }

        /// For any input, each question is asked at most once at a time, and every lookup has ended or is in
        /// progress.
        private static func checkDialogue(_ messages: [NetlinkMessage], phase: UInt8) throws(FuzzFinding) {
            var dialogue = NetlinkDialogue(port: 7)
            _ = dialogue.begin()
            if phase & 1 == 1 {
                _ = dialogue.handle(NetlinkMessage(port: 7, sequence: 1, body: .done))
                _ = dialogue.handle(NetlinkMessage(port: 7, sequence: 2, body: .done))
                try holdSame(dialogue.phase, .following, "an empty list is complete")
                let wanted = ["192.0.2.1", "2001:db8::1", "fe80::1%eth0", "127.0.0.1"].compactMap { IPAddress($0) }
                if phase & 2 == 2 { _ = dialogue.lookUp(Set(wanted)) }
            }
            for message in messages {
                let effects = dialogue.handle(message)
                for effect in effects {
                    guard case .answered(let answers) = effect else { continue }
                    try hold(!answers.isEmpty, "an answer has something in it")
                }
                guard case .lookingUp(let lookUp) = dialogue.phase else { continue }
                try hold((1...8).contains(lookUp.outstanding.count), "a look-up has questions under way")
            }
            guard dialogue.phase != .refused else { return }
            _ = dialogue.invalidate()
            try holdSame(dialogue.phase, .stale, "what was lost is stale")
        }
    }
#endif
