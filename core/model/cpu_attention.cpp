// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <atomic>
#include <memory>
#include <vector>

#include "core/kernels/cpu_kernels.h"
#include "core/model/kernel_calls.h"
#include "core/model/parallel.h"

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

/// c [m, n] = a [m, k] * b [k, n], where `a` and `b` may be stored transposed. Row-major is transposed column-major, so
/// the factors are swapped.
void multiply(const Block& a, Layout layoutA, const Block& b, Layout layoutB, const Block& c, std::int64_t m,
              std::int64_t n, std::int64_t k) {
  const char transA = layoutA == Layout::Transposed ? 'T' : 'N';
  const char transB = layoutB == Layout::Transposed ? 'T' : 'N';
  const int rows = static_cast<int>(m), columns = static_cast<int>(n), inner = static_cast<int>(k);
  const int lda = static_cast<int>(a.stride), ldb = static_cast<int>(b.stride), ldc = static_cast<int>(c.stride);
  const float one = 1.0F, zero = 0.0F;
  sgemm_(&transB, &transA, &columns, &rows, &inner, &one, b.data, &ldb, a.data, &lda, &zero, c.data, &ldc);
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
QkvPointers<Element> qkvPointers(const AttentionInput& input, std::int64_t width) {
  Element* packed = pointer<Element>(input.packed);
  if (input.query.defined()) return {pointer<Element>(input.query), packed, packed + width, width, 2 * width};
  return {packed, packed + width, packed + 2 * width, 3 * width, 3 * width};
}

/// One head of one sequence.
struct Task {
  std::int64_t sequence, head, firstQuery, queries, firstKey, keys;
};

Task taskOf(const AttentionPlan& plan, std::int64_t number) {
  const std::int64_t sequence = number / plan.heads;
  const auto at = [sequence](const auto& starts, std::int64_t next) {
    return static_cast<std::int64_t>((*starts)[static_cast<std::size_t>(sequence + next)]);
  };
  const std::int64_t firstQuery = at(plan.queryStarts, 0);
  const std::int64_t firstKey = at(plan.keyStarts, 0);
  return {sequence,   number % plan.heads,
          firstQuery, at(plan.queryStarts, 1) - firstQuery,
          firstKey,   at(plan.keyStarts, 1) - firstKey};
}

std::int64_t taskCount(const AttentionPlan& plan) {
  return (static_cast<std::int64_t>(plan.queryStarts->size()) - 1) * plan.heads;
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

/// Buffers of one thread: fp32 blocks for a head of the longest sequence. Uninitialized.
class ThreadBuffers {
 public:
  ThreadBuffers(const AttentionPlan& plan, std::int64_t matrices, std::int64_t strips)
      : square_(plan.longestQuery * plan.longestKey),
        strip_(std::max(plan.longestQuery, plan.longestKey) * plan.headSize),
        strips_(square_ * matrices),
        rows_(strips_ + strip_ * strips),
        memory_(new float[static_cast<std::size_t>(rows_ + plan.longestQuery)]) {}

  float* matrix(std::int64_t i) { return memory_.get() + square_ * i; }          // [longestQuery, longestKey]
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

/// Dropout of one head; its rows are queries, its features keys.
Dropout headDropout(const AttentionPlan& plan, std::int64_t head) {
  Dropout dropout = plan.dropout;
  dropout.key = subKey(dropout.key, static_cast<std::uint64_t>(head));
  return dropout;
}

void dropWeights(const AttentionPlan& plan, const Task& task, float* weights) {
  const Dropout dropout = headDropout(plan, task.head);
  const auto* rowKeys = plan.queryRowKeys.const_data_ptr<std::int64_t>();
  for (std::int64_t i = 0; i < task.queries; ++i)
    cpuKernels<float>().dropoutRow(weights + i * task.keys, task.keys, dropout, rowKeys[task.firstQuery + i]);
}

double squaredLogits(const float* scores, std::int64_t count, double scale) {
  double total = 0;
  for (std::int64_t i = 0; i < count; ++i) total += static_cast<double>(scores[i]) * static_cast<double>(scores[i]);
  return total * scale * scale;
}

template <typename Element>
void forwardTask(const AttentionPlan& plan, const Task& t, const QkvPointers<Element>& in, Element* output,
                 std::int64_t outputStride, float* logSum, double* penalty, ThreadBuffers& work) {
  const std::int64_t d = plan.headSize;
  const std::int64_t feature = t.head * d;
  float* scores = work.matrix(0);
  const Block q =
      asFloats(in.query + t.firstQuery * in.queryStride + feature, in.queryStride, t.queries, d, work.strip(0));
  const Block k = asFloats(in.key + t.firstKey * in.keyStride + feature, in.keyStride, t.keys, d, work.strip(1));
  multiply(q, Layout::Plain, k, Layout::Transposed, {scores, t.keys}, t.queries, t.keys, d);
  if (penalty != nullptr)
    *penalty = squaredLogits(scores, t.queries * t.keys, plan.scale) *
               static_cast<double>(plan.logitPenalty[static_cast<std::size_t>(t.sequence)]);
  const AttentionRows rows{scores, t.keys, t.keys, static_cast<float>(plan.scale), logSum};
  cpuKernels<float>().attentionSoftmax(rows, 0, t.queries);
  if (plan.dropout.active()) dropWeights(plan, t, scores);
  const Block v = asFloats(in.value + t.firstKey * in.keyStride + feature, in.keyStride, t.keys, d, work.strip(1));
  Element* place = output + t.firstQuery * outputStride + feature;
  const Block made = target(place, outputStride, d, work.strip(2));
  multiply({scores, t.keys}, Layout::Plain, v, Layout::Plain, made, t.queries, d, t.keys);
  finish(made, place, outputStride, t.queries, d);
}

/// Additional inputs of the backward pass of one task.
template <typename Element>
struct OutputGradient {
  Element* gradient = nullptr;  // of the output
  Element* output = nullptr;
  std::int64_t stride = 0;
  const float* logSum = nullptr;  // [queries of the task]
  float penaltyGradient = 0;      // already multiplied by the weight of the sequence; 0: none
};

/// delta[i] = sum over features of gradient * output.
void rowProducts(const Block& a, const Block& b, std::int64_t rows, std::int64_t width, float* delta) {
  for (std::int64_t i = 0; i < rows; ++i) {
    float total = 0;
    for (std::int64_t j = 0; j < width; ++j) total += a.data[i * a.stride + j] * b.data[i * b.stride + j];
    delta[i] = total;
  }
}

template <typename Element>
void backwardTask(const AttentionPlan& plan, const Task& t, const QkvPointers<Element>& in,
                  const OutputGradient<Element>& outer, const QkvPointers<Element>& inner, ThreadBuffers& work) {
  const std::int64_t d = plan.headSize;
  const std::int64_t feature = t.head * d;
  const std::int64_t queryAt = t.firstQuery * in.queryStride + feature;
  const std::int64_t keyAt = t.firstKey * in.keyStride + feature;
  const std::int64_t outerAt = t.firstQuery * outer.stride + feature;
  float* weights = work.matrix(0);
  float* gradients = work.matrix(1);
  float* delta = work.rows();
  const Block q = asFloats(in.query + queryAt, in.queryStride, t.queries, d, work.strip(0));
  const Block k = asFloats(in.key + keyAt, in.keyStride, t.keys, d, work.strip(1));
  const Block v = asFloats(in.value + keyAt, in.keyStride, t.keys, d, work.strip(2));
  const Block g = asFloats(outer.gradient + outerAt, outer.stride, t.queries, d, work.strip(3));
  const Block o = asFloats(outer.output + outerAt, outer.stride, t.queries, d, work.strip(4));
  rowProducts(g, o, t.queries, d, delta);

  multiply(q, Layout::Plain, k, Layout::Transposed, {weights, t.keys}, t.queries, t.keys, d);
  const std::int64_t cells = t.queries * t.keys;
  float* logits = nullptr;
  if (outer.penaltyGradient != 0.0F) {
    logits = work.matrix(3);
    std::copy(weights, weights + cells, logits);
  }
  const AttentionRows rows{weights, t.keys, t.keys, static_cast<float>(plan.scale), const_cast<float*>(outer.logSum)};
  cpuKernels<float>().attentionWeights(rows, 0, t.queries);

  multiply(g, Layout::Plain, v, Layout::Transposed, {gradients, t.keys}, t.queries, t.keys, d);
  float* dropped = weights;
  if (plan.dropout.active()) {
    dropped = work.matrix(2);
    std::copy(weights, weights + cells, dropped);
    dropWeights(plan, t, dropped);
    dropWeights(plan, t, gradients);
  }
  Element* valuePlace = inner.value + keyAt;
  const Block gv = target(valuePlace, in.keyStride, d, work.strip(4));
  multiply({dropped, t.keys}, Layout::Transposed, g, Layout::Plain, gv, t.keys, d, t.queries);
  finish(gv, valuePlace, in.keyStride, t.keys, d);

  const AttentionGradientRows step{weights, gradients, delta, t.keys, t.keys, static_cast<float>(plan.scale)};
  cpuKernels<float>().attentionGradient(step, 0, t.queries);
  if (logits != nullptr) {
    const float factor = outer.penaltyGradient * 2.0F * static_cast<float>(plan.scale * plan.scale);
    for (std::int64_t i = 0; i < cells; ++i) gradients[i] += factor * logits[i];
  }
  Element* queryPlace = inner.query + queryAt;
  const Block gq = target(queryPlace, in.queryStride, d, work.strip(4));
  multiply({gradients, t.keys}, Layout::Plain, k, Layout::Plain, gq, t.queries, d, t.keys);
  finish(gq, queryPlace, in.queryStride, t.queries, d);
  Element* keyPlace = inner.key + keyAt;
  const Block gk = target(keyPlace, in.keyStride, d, work.strip(4));
  multiply({gradients, t.keys}, Layout::Transposed, q, Layout::Plain, gk, t.keys, d, t.queries);
  finish(gk, keyPlace, in.keyStride, t.keys, d);
}

}  // namespace

AttentionResult cpuAttention(const AttentionInput& input, const AttentionPlan& plan) {
  const std::int64_t width = plan.heads * plan.headSize;
  const std::int64_t rows = plan.queryStarts->back();
  const std::int64_t tasks = taskCount(plan);
  AttentionResult result;
  result.output = at::empty({rows, width}, input.packed.options());
  result.logSum = at::empty({plan.heads, rows}, at::TensorOptions().dtype(at::kFloat));
  std::vector<double> penalties(plan.logitPenalty.empty() ? 0 : static_cast<std::size_t>(tasks));
  withElement(input.packed.scalar_type(), [&](auto element) {
    using Element = decltype(element);
    const auto in = qkvPointers<Element>(input, width);
    forTasks(tasks, [&] {
      return [&, work = ThreadBuffers(plan, 1, 3)](std::int64_t number) mutable {
        const Task task = taskOf(plan, number);
        float* logSum = result.logSum.mutable_data_ptr<float>() + task.head * rows + task.firstQuery;
        double* penalty = penalties.empty() ? nullptr : &penalties[static_cast<std::size_t>(number)];
        forwardTask(plan, task, in, pointer<Element>(result.output), width, logSum, penalty, work);
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
  const std::int64_t width = plan.heads * plan.headSize;
  const std::int64_t rows = plan.queryStarts->back();
  AttentionGradient result;
  result.packed = at::empty_like(input.packed);
  if (input.query.defined()) result.query = at::empty_like(input.query);
  const float penaltyFactor = penaltyGradient.defined() ? penaltyGradient.item<float>() : 0.0F;
  withElement(input.packed.scalar_type(), [&](auto element) {
    using Element = decltype(element);
    const auto in = qkvPointers<Element>(input, width);
    const auto inner = qkvPointers<Element>({result.query, result.packed}, width);
    forTasks(taskCount(plan), [&] {
      return [&, work = ThreadBuffers(plan, 4, 5)](std::int64_t number) mutable {
        const Task task = taskOf(plan, number);
        OutputGradient<Element> outer{pointer<Element>(outputGradient), pointer<Element>(saved.output), width,
                                      saved.logSum.const_data_ptr<float>() + task.head * rows + task.firstQuery, 0.0F};
        if (penaltyFactor != 0.0F)
          outer.penaltyGradient = penaltyFactor * plan.logitPenalty[static_cast<std::size_t>(task.sequence)];
        backwardTask(plan, task, in, outer, inner, work);
      };
    });
  });
  return result;
}

}  // namespace batchwise
