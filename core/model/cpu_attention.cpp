// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <atomic>
#include <memory>
#include <vector>

#include "core/model/backend.h"
#include "core/model/kernel_calls.h"
#include "core/model/kernels/cpu_kernels.h"

// Column-major BLAS matrix product from LibTorch's MKL, which comes without a header.
extern "C" void sgemm_(const char* transA, const char* transB, const int* m, const int* n, const int* k,
                       const float* alpha, const float* a, const int* lda, const float* b, const int* ldb,
                       const float* beta, float* c, const int* ldc);

namespace batchwise {
namespace {

/// A row-major block of a larger matrix.
struct Block {
  float* data = nullptr;
  std::int64_t stride = 0;
};

enum class Layout { Plain, Transposed };

/// c [m, n] = a [m, k] * b [k, n], or with `add` c plus it; `a` and `b` may be stored transposed. Row-major is
/// transposed column-major, so the factors are swapped.
void multiply(const Block& a, Layout layoutA, const Block& b, Layout layoutB, const Block& c, std::int64_t m,
              std::int64_t n, std::int64_t k, bool add = false) {
  const char transA = layoutA == Layout::Transposed ? 'T' : 'N';
  const char transB = layoutB == Layout::Transposed ? 'T' : 'N';
  const int rows = static_cast<int>(m), columns = static_cast<int>(n), inner = static_cast<int>(k);
  const int lda = static_cast<int>(a.stride), ldb = static_cast<int>(b.stride), ldc = static_cast<int>(c.stride);
  const float one = 1.0F, beta = add ? 1.0F : 0.0F;
  sgemm_(&transB, &transA, &columns, &rows, &inner, &one, b.data, &ldb, a.data, &lda, &beta, c.data, &ldc);
}

Block rowsFrom(const Block& block, std::int64_t first) {
  return {block.data + first * block.stride, block.stride};
}

/// Queries, keys and values (or their gradients) of all sequences.
template <typename Element>
struct QkvPointers {
  Element* query = nullptr;
  Element* key = nullptr;
  Element* value = nullptr;
  std::int64_t queryStride = 0;
  std::int64_t keyStride = 0;  // also of values
};

template <typename Element>
QkvPointers<Element> qkvPointers(const AttentionInput& input, const AttentionPlan& plan) {
  const std::int64_t width = plan.heads * plan.headSize, keys = plan.keyValueHeads * plan.headSize;
  Element* packed = pointer<Element>(input.packed);
  if (input.query.defined()) return {pointer<Element>(input.query), packed, packed + keys, width, 2 * keys};
  const std::int64_t stride = width + 2 * keys;
  return {packed, packed + width, packed + width + keys, stride, stride};
}

/// One head of keys and values of one sequence, with all heads of queries that it serves.
struct Task {
  std::int64_t sequence, keyHead, firstQuery, queries, firstKey, keys;
};

Task taskOf(const AttentionPlan& plan, std::int64_t number) {
  const std::int64_t sequence = number / plan.keyValueHeads;
  const auto at = [sequence](const auto& starts, std::int64_t next) {
    return static_cast<std::int64_t>((*starts)[static_cast<std::size_t>(sequence + next)]);
  };
  const std::int64_t firstQuery = at(plan.queryStarts, 0);
  const std::int64_t firstKey = at(plan.keyStarts, 0);
  return {sequence, number % plan.keyValueHeads,     firstQuery, at(plan.queryStarts, 1) - firstQuery,
          firstKey, at(plan.keyStarts, 1) - firstKey};
}

std::int64_t taskCount(const AttentionPlan& plan) {
  return (static_cast<std::int64_t>(plan.queryStarts->size()) - 1) * plan.keyValueHeads;
}

/// Distributes tasks dynamically over LibTorch's threads, because sequences differ in length; tasks write to disjoint
/// memory. makeWorker() is called on each thread and returns the function that runs a task.
template <typename MakeWorker>
void forTasks(std::int64_t count, const MakeWorker& makeWorker) {
  std::atomic<std::int64_t> next{0};
  runOnEachThread([&] {
    auto worker = makeWorker();
    for (std::int64_t task = next++; task < count; task = next++) worker(task);
  });
}

/// Queries computed together and the keys that any of them attends to; offsets in the sequence.
struct Piece {
  std::int64_t firstQuery, queries, firstKey, keys;
  std::int64_t cells() const { return queries * keys; }
};

/// The pieces of long sequences have at most so many logits, of 16 MiB.
constexpr std::int64_t kMostCells = std::int64_t{1} << 22;
constexpr std::int64_t kFewestRows = 64;
/// Dropout factors come in quads of keys.
constexpr std::int64_t kQuad = 4;

/// Returns how many positions the queries of a piece span in a layer with a window. A piece computes rows + 2 windows
/// keys for each query, of which 2 windows count: wide pieces waste products, narrow ones make small matrices.
std::int64_t windowRows(const AttentionPlan& plan) {
  constexpr std::int64_t kMostRows = 256;
  return std::clamp(plan.window, kFewestRows, kMostRows);
}

bool isWindowed(const AttentionPlan& plan, const Task& task) {
  return plan.window >= 0 && task.keys - 1 > plan.window;
}

/// Position in its sequence of query `query` of the task.
std::int64_t placeOf(const AttentionPlan& plan, const Task& task, std::int64_t query) {
  return plan.queryPlaces == nullptr ? query : (*plan.queryPlaces)[static_cast<std::size_t>(task.firstQuery + query)];
}

std::int64_t rowsPerPiece(std::int64_t queries, std::int64_t keys) {
  return queries * keys <= kMostCells ? queries : std::max(kFewestRows, kMostCells / keys);
}

std::vector<Piece> piecesOf(const AttentionPlan& plan, const Task& task) {
  std::vector<Piece> pieces;
  if (!isWindowed(plan, task)) {
    const std::int64_t rows = std::max<std::int64_t>(1, rowsPerPiece(task.queries, task.keys));
    for (std::int64_t first = 0; first < task.queries; first += rows)
      pieces.push_back({first, std::min(rows, task.queries - first), 0, task.keys});
    return pieces;
  }
  for (std::int64_t first = 0; first < task.queries;) {
    const std::int64_t place = placeOf(plan, task, first);
    std::int64_t end = first + 1;
    while (end < task.queries && placeOf(plan, task, end) < place + windowRows(plan)) ++end;
    const std::int64_t begin = std::max<std::int64_t>(0, place - plan.window) / kQuad * kQuad;
    const std::int64_t last = std::min(task.keys - 1, placeOf(plan, task, end - 1) + plan.window);
    pieces.push_back({first, end - first, begin, last + 1 - begin});
    first = end;
  }
  return pieces;
}

/// Returns the most logits of a piece of any sequence.
std::int64_t mostCells(const AttentionPlan& plan) {
  const std::int64_t all = plan.longestQuery * plan.longestKey;
  // Not those of the longest sequence: a shorter one may divide kMostCells with a smaller remainder.
  const std::int64_t split = std::max(kMostCells, kFewestRows * plan.longestKey);
  if (plan.window < 0) return std::min(all, split);
  const std::int64_t keys = std::min(plan.longestKey, windowRows(plan) + 2 * plan.window + kQuad);
  const std::int64_t whole = std::min(plan.longestKey, plan.window + 1);  // sequences within a window
  return std::min(all, std::max(std::min(windowRows(plan), plan.longestQuery) * keys,
                                std::min(split, std::min(plan.longestQuery, whole) * whole)));
}

/// Buffers of one thread: fp32 blocks for a piece, and for a head of the longest sequence. Uninitialized.
class ThreadBuffers {
 public:
  ThreadBuffers(const AttentionPlan& plan, std::int64_t matrices, std::int64_t strips)
      : square_(mostCells(plan)),
        strip_(std::max(plan.longestQuery, plan.longestKey) * plan.headSize),
        strips_(square_ * matrices),
        rows_(strips_ + strip_ * strips),
        memory_(new float[static_cast<std::size_t>(rows_ + plan.longestQuery)]) {}

  float* matrix(std::int64_t i) { return memory_.get() + square_ * i; }          // [queries, keys] of a piece
  float* strip(std::int64_t i) { return memory_.get() + strips_ + strip_ * i; }  // [longest, headSize]
  float* rows() { return memory_.get() + rows_; }                                // [longestQuery]

 private:
  std::int64_t square_, strip_, strips_, rows_;
  std::unique_ptr<float[]> memory_;
};

/// Returns rows of one head as fp32: in place, or converted into `copy`.
template <typename Element>
Block asFloats(Element* rows, std::int64_t stride, std::int64_t count, std::int64_t headSize, float* copy) {
  if constexpr (std::is_same_v<Element, float>) {
    return {rows, stride};
  } else {
    cpuKernels<Element>().widen(rows, stride, copy, count, headSize);
    return {copy, headSize};
  }
}

/// Returns where to compute a result of one head: in place, or in `copy`, which finish() converts and stores.
template <typename Element>
Block target(Element* rows, std::int64_t stride, std::int64_t headSize, float* copy) {
  if constexpr (std::is_same_v<Element, float>) {
    return {rows, stride};
  } else {
    return {copy, headSize};
  }
}

template <typename Element>
void finish(const Block& made, Element* rows, std::int64_t stride, std::int64_t count, std::int64_t headSize) {
  if constexpr (!std::is_same_v<Element, float>) cpuKernels<Element>().narrow(made.data, rows, stride, count, headSize);
}

void clearRows(const Block& block, std::int64_t rows, std::int64_t width) {
  for (std::int64_t i = 0; i < rows; ++i) std::fill_n(block.data + i * block.stride, width, 0.0F);
}

/// Keys of a piece that a query attends to: [first, first + count).
struct KeyRange {
  std::int64_t first, count;
};

KeyRange keysOf(const AttentionPlan& plan, const Task& task, const Piece& piece, std::int64_t row) {
  const std::int64_t place = placeOf(plan, task, piece.firstQuery + row);
  const std::int64_t first = std::max<std::int64_t>(0, place - plan.window);
  const std::int64_t last = std::min(task.keys - 1, place + plan.window);
  return {first - piece.firstKey, last + 1 - first};
}

/// Calls work(first row, end row, keys) for rows of the piece that attend to the same keys.
template <typename Work>
void forKeyRanges(const AttentionPlan& plan, const Task& task, const Piece& piece, const Work& work) {
  if (!isWindowed(plan, task)) return work(std::int64_t{0}, piece.queries, KeyRange{0, piece.keys});
  for (std::int64_t row = 0; row < piece.queries; ++row) work(row, row + 1, keysOf(plan, task, piece, row));
}

/// Sets what the queries do not attend to to zero.
void clearOutside(const AttentionPlan& plan, const Task& task, const Piece& piece, float* matrix) {
  if (!isWindowed(plan, task)) return;
  forKeyRanges(plan, task, piece, [&](std::int64_t row, std::int64_t, const KeyRange& keys) {
    float* values = matrix + row * piece.keys;
    std::fill(values, values + keys.first, 0.0F);
    std::fill(values + keys.first + keys.count, values + piece.keys, 0.0F);
  });
}

/// Dropout of one head; its rows are queries, its features keys.
void dropWeights(const AttentionPlan& plan, const Task& task, const Piece& piece, std::int64_t head, float* weights) {
  Dropout dropout = plan.dropout;
  dropout.key = subKey(dropout.key, static_cast<std::uint64_t>(head));
  const auto* rowKeys = plan.queryRowKeys.const_data_ptr<std::int64_t>() + task.firstQuery + piece.firstQuery;
  for (std::int64_t i = 0; i < piece.queries; ++i)
    cpuKernels<float>().dropoutRow(weights + i * piece.keys, piece.firstKey, piece.keys, dropout, rowKeys[i]);
}

/// Sum of the squared logits of a piece; outside the window they are 0.
double squaredLogits(const float* scores, std::int64_t count, double scale) {
  double total = 0;
  for (std::int64_t i = 0; i < count; ++i) total += static_cast<double>(scores[i]) * static_cast<double>(scores[i]);
  return total * scale * scale;
}

AttentionRows softmaxRows(const AttentionPlan& plan, const Piece& piece, const KeyRange& keys, float* scores,
                          float* logSum) {
  return {scores + keys.first, piece.keys, keys.count, static_cast<float>(plan.scale), logSum};
}

/// One head of queries of a task.
struct HeadForward {
  Block query, key, value, output;
  std::int64_t head = 0;
  float* logSum = nullptr;    // [queries of the task]
  double* penalty = nullptr;  // is added to
};

void forwardPiece(const AttentionPlan& plan, const Task& t, const Piece& piece, const HeadForward& h, float* scores) {
  const std::int64_t d = plan.headSize;
  const Block q = rowsFrom(h.query, piece.firstQuery);
  const Block all{scores, piece.keys};
  multiply(q, Layout::Plain, rowsFrom(h.key, piece.firstKey), Layout::Transposed, all, piece.queries, piece.keys, d);
  clearOutside(plan, t, piece, scores);
  if (h.penalty != nullptr)
    *h.penalty += squaredLogits(scores, piece.cells(), plan.scale) *
                  static_cast<double>(plan.logitPenalty[static_cast<std::size_t>(t.sequence)]);
  forKeyRanges(plan, t, piece, [&](std::int64_t begin, std::int64_t end, const KeyRange& keys) {
    cpuKernels<float>().attentionSoftmax(softmaxRows(plan, piece, keys, scores, h.logSum + piece.firstQuery), begin,
                                         end);
  });
  if (plan.dropout.active()) dropWeights(plan, t, piece, h.head, scores);
  multiply(all, Layout::Plain, rowsFrom(h.value, piece.firstKey), Layout::Plain, rowsFrom(h.output, piece.firstQuery),
           piece.queries, d, piece.keys);
}

/// Results of all sequences besides the output.
struct ForwardResults {
  float* logSum = nullptr;  // [heads, rows]
  std::int64_t rows = 0;
  double* penalty = nullptr;  // of the task; null: none
};

template <typename Element>
void forwardTask(const AttentionPlan& plan, const Task& t, const QkvPointers<Element>& in, Element* output,
                 const ForwardResults& results, ThreadBuffers& work) {
  const std::int64_t d = plan.headSize;
  const std::int64_t group = plan.heads / plan.keyValueHeads;
  const std::int64_t width = plan.heads * d;
  const std::int64_t keyAt = t.firstKey * in.keyStride + t.keyHead * d;
  const std::vector<Piece> pieces = piecesOf(plan, t);
  HeadForward h;
  h.penalty = results.penalty;
  h.key = asFloats(in.key + keyAt, in.keyStride, t.keys, d, work.strip(1));
  h.value = asFloats(in.value + keyAt, in.keyStride, t.keys, d, work.strip(2));
  for (h.head = t.keyHead * group; h.head < (t.keyHead + 1) * group; ++h.head) {
    const std::int64_t queryAt = t.firstQuery * in.queryStride + h.head * d;
    h.query = asFloats(in.query + queryAt, in.queryStride, t.queries, d, work.strip(0));
    h.logSum = results.logSum + h.head * results.rows + t.firstQuery;
    Element* place = output + t.firstQuery * width + h.head * d;
    h.output = target(place, width, d, work.strip(3));
    for (const Piece& piece : pieces) forwardPiece(plan, t, piece, h, work.matrix(0));
    finish(h.output, place, width, t.queries, d);
  }
}

/// delta[i] = sum over features of gradient * output.
void rowProducts(const Block& a, const Block& b, std::int64_t rows, std::int64_t width, float* delta) {
  for (std::int64_t i = 0; i < rows; ++i) {
    float total = 0;
    for (std::int64_t j = 0; j < width; ++j) total += a.data[i * a.stride + j] * b.data[i * b.stride + j];
    delta[i] = total;
  }
}

/// One head of queries of a task, backward.
struct HeadBackward {
  Block query, key, value, outputGradient;
  Block queryGradient, keyGradient, valueGradient;
  bool adds = false;  // to the gradients of keys and values
  std::int64_t head = 0;
  float* logSum = nullptr;  // [queries of the task]
  float* delta = nullptr;   // [queries of the task]
  float penaltyFactor = 0;  // of the logits in their gradient; 0: none
};

void addLogits(float* gradients, const float* logits, float factor, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) gradients[i] += factor * logits[i];
}

void backwardPiece(const AttentionPlan& plan, const Task& t, const Piece& piece, const HeadBackward& h,
                   ThreadBuffers& work) {
  const std::int64_t d = plan.headSize, queries = piece.queries, keys = piece.keys;
  float* weights = work.matrix(0);
  float* gradients = work.matrix(1);
  const Block q = rowsFrom(h.query, piece.firstQuery), k = rowsFrom(h.key, piece.firstKey);
  const Block g = rowsFrom(h.outputGradient, piece.firstQuery);
  multiply(q, Layout::Plain, k, Layout::Transposed, {weights, keys}, queries, keys, d);
  clearOutside(plan, t, piece, weights);
  float* logits = nullptr;
  if (h.penaltyFactor != 0.0F) {
    logits = work.matrix(3);
    std::copy(weights, weights + piece.cells(), logits);
  }
  forKeyRanges(plan, t, piece, [&](std::int64_t begin, std::int64_t end, const KeyRange& range) {
    cpuKernels<float>().attentionWeights(softmaxRows(plan, piece, range, weights, h.logSum + piece.firstQuery), begin,
                                         end);
  });
  multiply(g, Layout::Plain, rowsFrom(h.value, piece.firstKey), Layout::Transposed, {gradients, keys}, queries, keys,
           d);
  float* dropped = weights;
  if (plan.dropout.active()) {
    dropped = work.matrix(2);
    std::copy(weights, weights + piece.cells(), dropped);
    dropWeights(plan, t, piece, h.head, dropped);
    dropWeights(plan, t, piece, h.head, gradients);
  }
  multiply({dropped, keys}, Layout::Transposed, g, Layout::Plain, rowsFrom(h.valueGradient, piece.firstKey), keys, d,
           queries, h.adds);
  forKeyRanges(plan, t, piece, [&](std::int64_t begin, std::int64_t end, const KeyRange& range) {
    const AttentionGradientRows step{
        weights + range.first, gradients + range.first,       h.delta + piece.firstQuery, keys,
        range.count,           static_cast<float>(plan.scale)};
    cpuKernels<float>().attentionGradient(step, begin, end);
  });
  clearOutside(plan, t, piece, gradients);
  if (logits != nullptr) addLogits(gradients, logits, h.penaltyFactor, piece.cells());
  multiply({gradients, keys}, Layout::Plain, k, Layout::Plain, rowsFrom(h.queryGradient, piece.firstQuery), queries, d,
           keys);
  multiply({gradients, keys}, Layout::Transposed, q, Layout::Plain, rowsFrom(h.keyGradient, piece.firstKey), keys, d,
           queries, h.adds);
}

/// Additional inputs of the backward pass.
template <typename Element>
struct OutputGradient {
  Element* gradient = nullptr;  // of the output
  Element* output = nullptr;
  float* logSum = nullptr;  // [heads, rows]
  std::int64_t rows = 0;
  float penaltyGradient = 0;  // already multiplied by the weight of the sequence; 0: none
};

template <typename Element>
void backwardTask(const AttentionPlan& plan, const Task& t, const QkvPointers<Element>& in,
                  const OutputGradient<Element>& outer, const QkvPointers<Element>& inner, ThreadBuffers& work) {
  const std::int64_t d = plan.headSize;
  const std::int64_t group = plan.heads / plan.keyValueHeads;
  const std::int64_t width = plan.heads * d;
  const std::int64_t keyAt = t.firstKey * in.keyStride + t.keyHead * d;
  const std::vector<Piece> pieces = piecesOf(plan, t);
  HeadBackward h;
  h.key = asFloats(in.key + keyAt, in.keyStride, t.keys, d, work.strip(1));
  h.value = asFloats(in.value + keyAt, in.keyStride, t.keys, d, work.strip(2));
  h.keyGradient = target(inner.key + keyAt, in.keyStride, d, work.strip(5));
  h.valueGradient = target(inner.value + keyAt, in.keyStride, d, work.strip(6));
  h.delta = work.rows();
  h.penaltyFactor = outer.penaltyGradient * 2.0F * static_cast<float>(plan.scale * plan.scale);
  h.adds = group > 1 || pieces.size() != 1 || pieces.front().keys != t.keys;
  if (h.adds) {
    clearRows(h.keyGradient, t.keys, d);
    clearRows(h.valueGradient, t.keys, d);
  }
  for (h.head = t.keyHead * group; h.head < (t.keyHead + 1) * group; ++h.head) {
    const std::int64_t queryAt = t.firstQuery * in.queryStride + h.head * d;
    const std::int64_t outerAt = t.firstQuery * width + h.head * d;
    h.query = asFloats(in.query + queryAt, in.queryStride, t.queries, d, work.strip(0));
    h.outputGradient = asFloats(outer.gradient + outerAt, width, t.queries, d, work.strip(3));
    const Block output = asFloats(outer.output + outerAt, width, t.queries, d, work.strip(4));
    rowProducts(h.outputGradient, output, t.queries, d, h.delta);
    h.queryGradient = target(inner.query + queryAt, in.queryStride, d, work.strip(4));
    h.logSum = outer.logSum + h.head * outer.rows + t.firstQuery;
    for (const Piece& piece : pieces) backwardPiece(plan, t, piece, h, work);
    finish(h.queryGradient, inner.query + queryAt, in.queryStride, t.queries, d);
  }
  finish(h.keyGradient, inner.key + keyAt, in.keyStride, t.keys, d);
  finish(h.valueGradient, inner.value + keyAt, in.keyStride, t.keys, d);
}

}  // namespace

AttentionResult cpuAttention(const AttentionInput& input, const AttentionPlan& plan) {
  const std::int64_t rows = plan.queryStarts->back();
  const std::int64_t tasks = taskCount(plan);
  AttentionResult result;
  result.output = at::empty({rows, plan.heads * plan.headSize}, input.packed.options());
  result.logSum = at::empty({plan.heads, rows}, at::TensorOptions().dtype(at::kFloat));
  std::vector<double> penalties(plan.logitPenalty.empty() ? 0 : static_cast<std::size_t>(tasks));
  withElement(input.packed.scalar_type(), [&](auto element) {
    using Element = decltype(element);
    const auto in = qkvPointers<Element>(input, plan);
    forTasks(tasks, [&] {
      return [&, work = ThreadBuffers(plan, 1, 4)](std::int64_t number) mutable {
        ForwardResults results{result.logSum.mutable_data_ptr<float>(), rows, nullptr};
        if (!penalties.empty()) results.penalty = &penalties[static_cast<std::size_t>(number)];
        forwardTask(plan, taskOf(plan, number), in, pointer<Element>(result.output), results, work);
      };
    });
  });
  if (!penalties.empty()) {
    double total = 0;
    for (const double penalty : penalties) total += penalty;
    result.penalty = at::scalar_tensor(total, at::TensorOptions().dtype(at::kFloat));
  }
  return result;
}

AttentionGradient cpuAttentionGradient(const at::Tensor& outputGradient, const at::Tensor& penaltyGradient,
                                       const AttentionInput& input, const AttentionResult& saved,
                                       const AttentionPlan& plan) {
  AttentionGradient result;
  result.packed = at::empty_like(input.packed);
  if (input.query.defined()) result.query = at::empty_like(input.query);
  const float penaltyFactor = penaltyGradient.defined() ? penaltyGradient.item<float>() : 0.0F;
  withElement(input.packed.scalar_type(), [&](auto element) {
    using Element = decltype(element);
    const auto in = qkvPointers<Element>(input, plan);
    const auto inner = qkvPointers<Element>({result.query, result.packed}, plan);
    forTasks(taskCount(plan), [&] {
      return [&, work = ThreadBuffers(plan, 4, 7)](std::int64_t number) mutable {
        const Task task = taskOf(plan, number);
        OutputGradient<Element> outer{pointer<Element>(outputGradient), pointer<Element>(saved.output),
                                      saved.logSum.mutable_data_ptr<float>(), plan.queryStarts->back(), 0.0F};
        if (penaltyFactor != 0.0F)
          outer.penaltyGradient = penaltyFactor * plan.logitPenalty[static_cast<std::size_t>(task.sequence)];
        backwardTask(plan, task, in, outer, inner, work);
      };
    });
  });
  return result;
}

}  // namespace batchwise
