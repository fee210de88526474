# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether the tests of the CUDA kernels on the processor find what is wrong: the same programs over kernels that are broken
on purpose, each in one place, must fail, and for the reason that the break has.

  broken_kernels.py list                       NAME:FILE;... for CMake
  broken_kernels.py write NAME FOLDER OUTPUT   writes the file of FOLDER that NAME breaks, broken
  broken_kernels.py test FOLDER                runs the programs FOLDER/NAME and expects what the table says
"""
import pathlib
import subprocess
import sys

CROSS_ENTROPY = "CudaKernelsTest/1.CrossEntropy*"
SEQUENCE_NORMS = "CudaKernelsTest/1.NormsOf*"

# Name: file, what stands there, what is written instead, tests to run, what they must say.
BREAKS = {
    "missing_barrier": ("cross_entropy.cu", "  __syncthreads();\n  PartialSoftmax all", "  PartialSoftmax all",
                        CROSS_ENTROPY, "The difference between loss"),
    "missing_barrier_before_overwriting": ("cross_entropy.cu", "  __syncthreads();  // the label's logit has been read\n", "",
                                           CROSS_ENTROPY, "The difference between loss"),
    "diverging_barrier": ("add_norm.cu", "  __syncthreads();\n", "  if (threadIdx.x < 64) __syncthreads();\n",
                          "CudaKernelsTest/1.AddNorm*", "barrier"),
    "missing_barrier_between_column_sums": ("add_norm.cu", "total);\n    }\n    __syncthreads();\n", "total);\n    }\n",
                                            "CudaKernelsTest/1.TheGradientOfAddNorm*", "The difference between"),
    "a_row_too_many": ("add_norm.cu", "Row::kThreads, rows, a.width", "Row::kThreads, rows + 1, a.width",
                       "CudaKernelsTest/1.AddNorm*", "Failure"),
    "off_by_one": ("bias_activation.cu", "if (ownColumn<kLanes>() >= a.width) return;",
                   "if (ownColumn<kLanes>() > a.width) return;", "CudaKernelsTest/1.Activation*", "Failure"),
    "wrong_shuffle_mask": ("add_norm.cu", "kAll = 0xFFFFFFFFU", "kAll = 0x7FFFFFFFU", "CudaKernelsTest/1.AddNorm*",
                           "not in the mask"),
    "second_gradient_forgotten": ("add_norm.cu", "outer[lane] += second[lane];", "",
                                  "CudaKernelsTest/1.TheGradientOfAddNorm*", "Failure"),
    "misaligned_pack": ("dropout_add.cu", "alignedToPacks(4, a.width, a.input, a.residual, a.output)", "true",
                        "CudaKernelsTest/1.Dropout*", "an access that is not aligned"),
    "gate_and_up_swapped": ("gated_activation.cu", "(2 * row + 1) * a.width + column, up", "2 * row * a.width + column, up",
                            "CudaKernelsTest/1.Gated*", "Failure"),
    "missing_row_barrier": ("embedding.cu", "  __syncthreads();\n", "", "CudaKernelsTest/1.*mbeddings*", "Failure"),
    "lost_tiles": ("embedding.cu", "goesOn = a.ids[begin + kTile] == id", "goesOn = false", "CudaKernelsTest/1.SumsOf*",
                   "Failure"),
    "tile_overwrites": ("embedding.cu", "begin > 0 && a.ids[begin - 1] == id ? a.parts", "false ? a.parts",
                        "CudaKernelsTest/1.SumsOf*", "Failure"),
    "sums_of_one_row": ("join_columns.cu", "sums[lane] += values[i][lane];", "sums[lane] = values[i][lane];",
                        "CudaKernelsTest/1.Joined*", "Failure"),
    "wrong_part": ("join_columns.cu", "if (column >= first)", "if (column > first)", "CudaKernelsTest/1.Joined*", "Failure"),
    "turned_forwards": ("join_columns.cu", "rotary.inverse ? -1.0F : 1.0F", "1.0F", "CudaKernelsTest/1.Rotary*", "Failure"),
    "missing_barrier_between_warps": ("sequence_norms.cu", "  __syncthreads();\n  float square", "  float square",
                                      SEQUENCE_NORMS, "The difference between"),
    "rows_of_the_next_sequence": ("sequence_norms.cu", "end = start[1]", "end = start[1] + 1", SEQUENCE_NORMS, "Failure"),
    "a_tile_for_all": ("sequence_norms.cu", "    place.first += skipped;\n", "", SEQUENCE_NORMS, "The difference between"),
    "beta_always": ("sequence_norms.cu", "a.hasBeta ? 2 : 1", "2", SEQUENCE_NORMS, "The difference between"),
    "wrong_stride": ("cross_entropy.cu", "a.logits + row * a.stride", "a.logits + row * a.width", CROSS_ENTROPY, "Failure"),
}


def list_all():
    print(";".join(f"{name}:{row[0]}" for name, row in BREAKS.items()), end="")


def with_headers(text, folder):
    """The text of a kernel's file in which that of thread_norm.cuh, which can be broken too, stands in place of its name."""
    header = (folder / "thread_norm.cuh").read_text().replace("#pragma once\n", "")
    return text.replace('#include "core/model/kernels/cuda/thread_norm.cuh"\n', header)


def write(name, folder, output):
    file, there, instead = BREAKS[name][:3]
    text = with_headers((pathlib.Path(folder) / file).read_text(), pathlib.Path(folder))
    found = text.count(there)
    if found == 0:
        sys.exit(f"broken_kernels.py: {file} has no more what {name} replaces ({there.strip()}): adapt the table BREAKS")
    # All places of a file: its kernels share their parts, and a break in one of two may stay without effect.
    pathlib.Path(output).write_text(text.replace(there, instead))


def test(folder):
    missed = []
    for name, (_, _, _, tests, says) in BREAKS.items():
        try:
            done = subprocess.run([pathlib.Path(folder) / name, f"--gtest_filter={tests}", "--gtest_output="],
                                  capture_output=True, text=True, errors="replace", timeout=120)
        except subprocess.TimeoutExpired:
            missed.append(f"{name}: did not end")
            continue
        said = done.stdout + done.stderr
        if done.returncode == 0 or says not in said:
            missed.append(f"{name}: exit {done.returncode}, expected a failure that says '{says}'; it said:\n{said[-1500:]}")
        else:
            print(f"{name}: found")
    if missed:
        sys.exit("\n".join(missed))


if __name__ == "__main__":
    {"list": list_all, "write": write, "test": test}[sys.argv[1]](*sys.argv[2:])
