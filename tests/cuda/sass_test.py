# SPDX-License-Identifier: GPL-3.0-or-later
"""What nvcc has made of our kernels, for each architecture of the build: no thread's data in local memory, packs in one access
of 16 bytes, loads before stores, no more instructions than an H200's memory leaves time for, and no more registers than the
blocks that are to be resident leave. Skipped without cuobjdump, which comes with the CUDA toolkit and with
packaging/requirements-test.txt.

Usage: sass_test.py LIBRARY FOLDER...   FOLDER: where cuobjdump may lie besides PATH
"""
import collections
import os
import re
import shutil
import subprocess
import sys
import unittest

REGISTERS = 65536  # of a multiprocessor, on all architectures

# Kernel: threads of a block, of the gradient of AddNorm by its packs per thread; blocks resident on a multiprocessor; None:
# as many as there happen to be.
BLOCKS = {
    "addNormRows": (lambda arguments: 128, None),
    "addNormGradientRows": (lambda arguments: 384 if arguments[1] == "2" else 256, 1),
    "biasActivationRows": (lambda arguments: 128, None),
    "biasActivationGradientRows": (lambda arguments: 128, 8),
    "crossEntropyRows": (lambda arguments: 512, 2),
    "dropoutAddRows": (lambda arguments: 256, None),
    "joinColumnsRows": (lambda arguments: 256, 3),
    "turnedColumnsRows": (lambda arguments: 256, 3),
    "gatedActivationRows": (lambda arguments: 256, None),
    "gatedActivationGradientRows": (lambda arguments: 256, None),
    "embedRows": (lambda arguments: 1024, 1),
    "embedGradientRows": (lambda arguments: 1024, 1),
    "sequenceNormTiles": (lambda arguments: 256, 4),
    "sumRowsOfTiles": (lambda arguments: 256, None),
    "sumRowsAcrossTiles": (lambda arguments: 256, None),
}
# Kernels whose other matrices are fp32, or that write none.
ONE_WAY = {"embedRows": ["STG"], "embedGradientRows": ["LDG"], "sequenceNormTiles": ["LDG"]}
ELEMENTS = {"float": 4, "Bf16": 2, "Fp16": 2}


class Kernel:
    """An instantiation for an architecture."""

    def __init__(self, architecture, demangled):
        self.architecture = architecture
        self.name, inner = re.match(r".*?(\w+)<(.*)>\(", demangled).groups()
        self.arguments = [re.sub(r"\([^)]*\)|.*::", "", one).strip() for one in inner.split(",")]
        self.registers = self.stack = None
        self.instructions = collections.Counter()
        self.listing = []  # address, name and all of each instruction

    def __str__(self):
        return f"{self.name}<{', '.join(self.arguments)}> for {self.architecture}"

    def packs(self):
        """Of a thread in a row of AddNorm."""
        return int(self.arguments[1])

    def features(self):
        """Of a thread in a row of AddNorm or of an activation."""
        lanes = 16 // ELEMENTS[self.arguments[0]]
        return self.packs() * lanes if self.name.startswith("addNorm") else int(self.arguments[-1])

    def before(self, first):
        """Names of the instructions before the first that begins with `first`."""
        names = [name for _, name, _ in self.listing]
        return names[:next(i for i, name in enumerate(names) if name.startswith(first))]

    def length(self):
        """Instructions to the last exit."""
        return max(i for i, (_, name, _) in enumerate(self.listing) if name == "EXIT") + 1

    def length_of_loop(self):
        """Instructions of the longest loop."""
        longest = 0
        for end, (address, name, text) in enumerate(self.listing):
            if name == "BRA" and (target := re.search(r"0x[0-9a-f]+", text)):
                begin = next((i for i, one in enumerate(self.listing) if one[0] == int(target[0], 16)), end)
                longest = max(longest, end - begin + 1)
        return longest

    def bytes_of_pack(self):
        """Of an access to a matrix."""
        if self.name.startswith(("addNorm", "sequenceNorm")):
            return 16
        lanes = 4 if self.name.startswith("embed") else int(self.arguments[-1])
        return lanes * ELEMENTS[self.arguments[0]]


def demangled(names):
    done = subprocess.run(["c++filt"], input="\n".join(names), capture_output=True, text=True, check=True)
    return dict(zip(names, done.stdout.splitlines()))


def read(tool, library):
    """All kernels of ours in a library, with what `tool` tells of them."""
    texts = [subprocess.run([tool, option, library], capture_output=True, text=True, check=True).stdout
             for option in ("--dump-resource-usage", "-sass")]
    names = demangled(sorted(set(re.findall(r"\b_Z\w+", "\n".join(texts)))))
    kernels = {}
    for text in texts:
        architecture = kernel = None
        for line in text.splitlines():
            if found := re.match(r"arch = (\w+)", line):
                architecture, kernel = found[1], None
            elif found := re.search(r"Function\s*:?\s+(_Z\w+)", line):
                kernel = None
                if any(f"{name}<" in names[found[1]] for name in BLOCKS):
                    kernel = kernels.setdefault((architecture, found[1]), Kernel(architecture, names[found[1]]))
            elif kernel and (found := re.search(r"REG:(\d+) STACK:(\d+)", line)):
                kernel.registers, kernel.stack = int(found[1]), int(found[2])
            elif kernel and (found := re.match(r"\s+/\*([0-9a-f]+)\*/\s+(?:@!?U?P\w+\s+)?([A-Z][A-Z0-9_.]+)([^;]*)", line)):
                kernel.instructions[found[2]] += 1
                kernel.listing.append((int(found[1], 16), found[2], found[3]))
    return list(kernels.values())


class SassTest(unittest.TestCase):
    kernels = []

    def test_each_kernel_is_there_for_each_architecture(self):
        found = collections.Counter((kernel.architecture, kernel.name) for kernel in self.kernels)
        architectures = {kernel.architecture for kernel in self.kernels}
        self.assertTrue(architectures)
        for architecture in architectures:
            for name in BLOCKS:
                self.assertGreaterEqual(found[architecture, name], 1 if name.startswith("sumRows") else 3, f"{name} for {architecture}")
        for kernel in self.kernels:
            self.assertGreater(sum(kernel.instructions.values()), 20, kernel)

    def test_nothing_is_kept_in_local_memory(self):
        for kernel in self.kernels:
            local = [name for name in kernel.instructions if re.match(r"(LDL|STL)\b", name)]
            self.assertEqual((kernel.stack, local), (0, []), kernel)

    def test_packs_are_one_access(self):
        for kernel in self.kernels:
            bits = 8 * kernel.bytes_of_pack()
            if bits < 64:
                continue
            for way in ONE_WAY.get(kernel.name, ("LDG", "STG")):
                wide = [name for name in kernel.instructions if re.match(rf"{way}\.E\b.*\.{bits}\b", name)]
                self.assertTrue(wide, f"{kernel} has no {way} of {bits} bits: {dict(kernel.instructions)}")

    def test_stores_of_packs_are_not_split(self):
        # Besides them, some column sums are written number by number, and so are statistics and the end of a row of logits.
        for kernel in self.kernels:
            whole = ("addNormGradientRows", "biasActivationRows", "dropoutAddRows", "gatedActivationRows")
            if kernel.name in whole and kernel.bytes_of_pack() >= 8:
                stores = [name for name in kernel.instructions if re.match(r"STG\b", name)]
                narrow = [name for name in stores if not re.search(r"\.(64|128)\b", name)]
                self.assertEqual(narrow, [], kernel)

    def test_a_row_is_loaded_before_anything_is_computed_of_it_or_stored(self):
        for kernel in self.kernels:
            if not kernel.name.startswith("addNorm"):
                continue
            # Of the forward kernel also before the branch to the random bits, which need another load.
            first = ("BRA", "STG") if kernel.name == "addNormRows" else ("STG",)
            loads = [name for name in kernel.before(first) if re.match(r"LDG\b.*\.128\b", name)]
            matrices = 2 if kernel.name == "addNormRows" else 3
            self.assertGreaterEqual(len(loads), matrices * kernel.packs(), kernel)

    def test_instructions_of_a_row_leave_memory_to_decide(self):
        # An H200 reads and writes 4 TB/s if a row of 768 in bf16 takes up to 1,400 instructions or, in the gradient with its
        # fifth matrix, 1,750, and eight features of an activation up to 240 or, with the gradient's third matrix, 340.
        # Kernels reach two thirds of that.
        limits = {"addNormRows": lambda n: 200 + 34 * n, "addNormGradientRows": lambda n: 200 + 40 * n,
                  "biasActivationRows": lambda n: 20 * n, "biasActivationGradientRows": lambda n: 25 * n}
        for kernel in self.kernels:
            if kernel.architecture == "sm_90" and kernel.name in limits and kernel.bytes_of_pack() == 16:
                length = kernel.length() if kernel.name == "addNormRows" else kernel.length_of_loop()
                self.assertGreater(length, 0, kernel)
                self.assertLessEqual(length, limits[kernel.name](kernel.features()), kernel)

    def test_registers_leave_room_for_the_blocks_that_are_to_be_resident(self):
        for kernel in self.kernels:
            threads_of, blocks = BLOCKS[kernel.name]
            threads = threads_of(kernel.arguments)
            if blocks:
                # Registers are given to a warp in portions of 8 a thread.
                taken = (kernel.registers + 7) // 8 * 8 * threads * blocks
                self.assertLessEqual(taken, REGISTERS, f"{kernel}: {kernel.registers} registers")


def main():
    library, folders = sys.argv[1], sys.argv[2:]
    tool = shutil.which("cuobjdump", path=os.pathsep.join([*folders, os.environ.get("PATH", "")]))
    if tool is None:
        print("skipped: cuobjdump is not on PATH, nor in", *folders)
        sys.exit(77)
    SassTest.kernels = read(tool, library)
    unittest.main(argv=sys.argv[:1])


if __name__ == "__main__":
    main()
