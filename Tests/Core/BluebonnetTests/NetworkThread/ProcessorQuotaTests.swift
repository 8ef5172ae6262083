// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

/// The quota of control groups, read from files as the kernel writes them (cgroups(7)).
@Suite struct ProcessorQuotaTests {
    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let files: [String: String]
        var active = 8
        let expected: Int
    }

    private static let v2 = "/proc/self/cgroup"
    private static let rows = [
        Row(testDescription: "no control groups", files: [:], expected: 8),
        Row(
            testDescription: "version 2 without a quota",
            files: [v2: "0::/\n", "/sys/fs/cgroup/cpu.max": "max 100000\n"], expected: 8),
        Row(
            testDescription: "version 2 in a container: its group is the root",
            files: [v2: "0::/\n", "/sys/fs/cgroup/cpu.max": "150000 100000\n"], expected: 1),
        Row(
            testDescription: "two and a half processors",
            files: [v2: "0::/\n", "/sys/fs/cgroup/cpu.max": "250000 100000\n"], expected: 2),
        Row(
            testDescription: "the quota is a service's above",
            files: [
                v2: "0::/a/b\n", "/sys/fs/cgroup/a/b/cpu.max": "max 100000\n",
                "/sys/fs/cgroup/a/cpu.max": "300000 100000\n",
            ], expected: 3),
        Row(
            testDescription: "the least of several counts",
            files: [
                v2: "0::/a/b\n", "/sys/fs/cgroup/a/b/cpu.max": "400000 100000\n",
                "/sys/fs/cgroup/a/cpu.max": "600000 100000\n",
            ], expected: 4),
        Row(
            testDescription: "the host's path, which the container does not see",
            files: [v2: "0::/../../docker/x\n", "/sys/fs/cgroup/cpu.max": "200000 100000\n"], expected: 2),
        Row(
            testDescription: "less than one processor",
            files: [v2: "0::/\n", "/sys/fs/cgroup/cpu.max": "5000 100000\n"], expected: 1),
        Row(
            testDescription: "more than there are",
            files: [v2: "0::/\n", "/sys/fs/cgroup/cpu.max": "6400000 100000\n"], expected: 8),
        Row(
            testDescription: "version 1",
            files: [
                v2: "4:memory:/x\n3:cpu,cpuacct:/c\n1:name=systemd:/\n",
                "/sys/fs/cgroup/cpu/c/cpu.cfs_quota_us": "200000\n",
                "/sys/fs/cgroup/cpu/c/cpu.cfs_period_us": "100000\n",
            ], expected: 2),
        Row(
            testDescription: "version 1 in a folder of both controllers",
            files: [
                v2: "3:cpu,cpuacct:/c\n", "/sys/fs/cgroup/cpu,cpuacct/c/cpu.cfs_quota_us": "300000\n",
                "/sys/fs/cgroup/cpu,cpuacct/c/cpu.cfs_period_us": "100000\n",
            ], expected: 3),
        Row(
            testDescription: "version 1 without a quota",
            files: [
                v2: "3:cpu:/\n", "/sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1\n",
                "/sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000\n",
            ], expected: 8),
        Row(
            testDescription: "the processors of another controller do not count",
            files: [
                v2: "3:cpuset:/\n", "/sys/fs/cgroup/cpu/cpu.cfs_quota_us": "100000\n",
                "/sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000\n",
            ], expected: 8),
        Row(
            testDescription: "text that is none of it",
            files: [v2: "0:/\nx\n0::/a\n", "/sys/fs/cgroup/a/cpu.max": "a b\n", "/sys/fs/cgroup/cpu.max": "1\n"],
            expected: 8),
        Row(
            testDescription: "a period of 0",
            files: [v2: "0::/\n", "/sys/fs/cgroup/cpu.max": "100000 0\n"], expected: 8),
    ]

    @Test(arguments: rows) func leastQuotaCounts(row: Row) {
        let quota = ProcessorQuota { row.files[$0] }
        #expect(quota.processorCount(of: row.active) == row.expected)
    }

    @Test func quotaOfThisProcessIsReadable() {
        #expect(ProcessorQuota.processorCount() >= 1)
    }
}
