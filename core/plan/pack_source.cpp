// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/pack_source.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <unordered_map>

#include "core/base/format.h"
#include "core/base/mutex.h"
#include "core/base/random.h"
#include "core/plan/ramp.h"

namespace batchwise {
namespace {

constexpr std::size_t kWindowsKept = 8;
constexpr std::size_t kTablesKept = 65'536;

/// Up to this size, whole epochs are packed before the run to check that they have packs.
constexpr std::int64_t kSmallSet = 4096;

/// Returns samples by (length, id), using counting sort.
std::vector<std::int64_t> sortedBySize(const Lengths& lengths) {
  std::vector<std::int64_t> begins(static_cast<std::size_t>(lengths.longest()) + 2, 0);
  for (std::int64_t sample = 0; sample < lengths.size(); ++sample) ++begins[lengths.at(sample) + 1];
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  std::vector<std::int64_t> sorted(static_cast<std::size_t>(lengths.size()));
  for (std::int64_t sample = 0; sample < lengths.size(); ++sample)
    if (const std::int64_t place = begins[lengths.at(sample)]++;
        place < lengths.size())  // the file may change meanwhile
      sorted[static_cast<std::size_t>(place)] = sample;
  return sorted;
}

/// Returns how many leading places hold the largest multiple of `group` sequences within the budget.
std::size_t wholeGroups(const std::vector<std::uint32_t>& lengths, std::int64_t maxTokens, std::int64_t group) {
  const auto fits = [&](std::uint32_t length) { return length <= maxTokens; };
  std::int64_t over = std::count_if(lengths.begin(), lengths.end(), fits) % group;
  std::size_t end = lengths.size();
  while (over > 0)
    if (fits(lengths[--end])) --over;
  return end;
}

}  // namespace

Result<PackRules> packRules(const TokenBudgetConfig& config, std::int64_t globalUnits) {
  PackRules rules;
  rules.maxTokens = config.maxTokens.value_or(0);
  if (rules.maxTokens < 1)
    return Error::config("batch.tokens.max_tokens",
                         formatText("{} is below 1; use at least data.max_seq_len", rules.maxTokens));
  rules.maxSequences = config.maxBatchSize.value_or(0);
  rules.minSequences = config.minBatchSize;
  if (rules.maxSequences < 0)
    return Error::config("batch.tokens.max_batch_size",
                         formatText("{} is negative; use 1 or more, 0 for no limit", rules.maxSequences));
  if (rules.minSequences < 1) return belowOneError("batch.tokens.min_batch_size", rules.minSequences);
  if (rules.maxSequences > 0 && rules.minSequences > rules.maxSequences)
    return Error::config("batch.tokens.min_batch_size", formatText("{} is above max_batch_size {}; use a smaller one",
                                                                   rules.minSequences, rules.maxSequences));
  rules.small = config.onSmallPack;
  rules.method = config.packing;
  rules.count = config.count;
  if (config.requiredMicrobatchesOfSameSize && rules.method == PackMethod::BestFit)
    return Error::config("batch.tokens.required_microbatches_of_same_size",
                         "needs packing: in_order, but packing is best_fit");
  if (config.requiredMicrobatchesOfSameSize && globalUnits > PackSource::kWindow)
    return Error::config("batch.tokens.required_microbatches_of_same_size",
                         formatText("a global batch of {} packs is above {}, the most that can be packed alike; use a "
                                    "smaller batch.global_train_batch_size",
                                    globalUnits, PackSource::kWindow));
  if (config.requiredMicrobatchesOfSameSize) rules.sameSizeGroup = globalUnits;
  return rules;
}

struct PackSource::Window {
  std::int64_t begin = 0;  ///< its first position in the epoch's order
  std::int64_t end = 0;    ///< one past its last
  PackedWindow packed;
};

/// Prefix sums: index k holds the sum over windows 0 to k - 1, as far as known.
struct PackSource::EpochTable {
  std::vector<std::int64_t> begins{0};  ///< of window k, in positions
  std::vector<std::int64_t> packs{0};
  std::vector<std::int64_t> samples{0};
  std::vector<std::int64_t> tokens{0};
  std::int64_t known() const { return static_cast<std::int64_t>(packs.size()) - 1; }
};

struct PackSource::State {
  std::shared_ptr<const Lengths> lengths;
  PackRules rules;
  PickingOrder picking = PickingOrder::DataLoader;
  DataOrder dataOrder = DataOrder::Shuffled;
  std::uint64_t seed = 0;
  std::int64_t usable = 0;
  std::int64_t usableTokens = 0;
  std::int64_t group = 1;            ///< each window but the last holds a multiple of so many fitting sequences
  std::vector<std::int64_t> bySize;  ///< for seqlen

  struct CachedWindow {
    std::int64_t epoch;
    std::int64_t window;
    std::shared_ptr<const Window> packed;
  };
  Mutex mutex;
  std::vector<CachedWindow> windows GUARDED_BY(mutex);                                           ///< oldest first
  std::unordered_map<std::int64_t, std::shared_ptr<const EpochTable>> tables GUARDED_BY(mutex);  ///< by epoch

  bool allFit() const { return usable == lengths->size(); }
  /// Returns the start of a window if it follows from its number alone.
  std::optional<std::int64_t> plainBegin(std::int64_t window) const {
    if (group > 1 && !allFit()) return std::nullopt;
    return window * kWindow / group * group;
  }
  /// Cache key; the same for epochs with the same packs.
  std::int64_t keyOf(std::int64_t epoch) const { return sameAlways() ? 0 : epoch; }
  bool sameAlways() const {
    return picking == PickingOrder::BySize || (picking == PickingOrder::DataLoader && dataOrder == DataOrder::File);
  }
  EpochOrder orderOf(std::int64_t epoch) const {
    if (picking == PickingOrder::Random)
      return {lengths->size(), mix64(seed ^ 0x5061636B4F726465ULL), epoch, DataOrder::Shuffled};
    return {lengths->size(), seed, epoch, picking == PickingOrder::BySize ? DataOrder::File : dataOrder};
  }
  std::int64_t sampleAt(const EpochOrder& order, std::int64_t place) const {
    return picking == PickingOrder::BySize ? bySize[static_cast<std::size_t>(place)] : order.sampleAt(place);
  }
};

PackSource::PackSource(std::unique_ptr<State> state) : state_(std::move(state)) {}
PackSource::~PackSource() = default;

Result<std::shared_ptr<const PackSource>> PackSource::make(const TrainConfig& config,
                                                           std::shared_ptr<const Lengths> lengths,
                                                           const PackRules& rules) {
  auto state = std::make_unique<State>();
  state->lengths = std::move(lengths);
  state->rules = rules;
  state->group = std::max<std::int64_t>(1, rules.sameSizeGroup);
  state->picking = config.batch.tokens.sequencePickingOrder;
  state->dataOrder = config.data.shuffle ? DataOrder::Shuffled : DataOrder::File;
  state->seed = static_cast<std::uint64_t>(config.seed);
  const Lengths& all = *state->lengths;
  state->usable = all.size();
  state->usableTokens = all.totalTokens();
  std::uint32_t shortest = all.longest();
  if (all.longest() > rules.maxTokens) {
    state->usable = 0;
    for (std::int64_t sample = 0; sample < all.size(); ++sample) {
      shortest = std::min(shortest, all.at(sample));
      if (all.at(sample) <= rules.maxTokens)
        ++state->usable;
      else
        state->usableTokens -= all.at(sample);
    }
  }
  if (state->usable == 0)
    return Error::config("batch.tokens.max_tokens",
                         formatText("{} is smaller than every sample (the shortest has {} tokens); use at least {}",
                                    rules.maxTokens, shortest, all.longest()));
  if (state->picking == PickingOrder::BySize) state->bySize = sortedBySize(all);
  std::shared_ptr<const PackSource> source(new PackSource(std::move(state)));
  // In small data sets an epoch could lose every pack.
  const std::int64_t epochs = rules.small == SmallPacks::Discard && all.size() <= kSmallSet ? 256 : 1;
  for (std::int64_t epoch = 0; epoch < epochs; ++epoch)
    if (source->unitsUpTo(epoch, 1) == 0)
      return Error::config(
          "batch.tokens.min_batch_size",
          formatText("epoch {} has no pack of {} within max_tokens {}; use a larger max_tokens, or on_small_pack: keep",
                     epoch, countText(rules.minSequences, "sample"), rules.maxTokens));
  return source;
}

std::int64_t PackSource::windows() const {
  return (state_->lengths->size() + kWindow - 1) / kWindow;
}

bool PackSource::sameEveryEpoch() const {
  return state_->sameAlways();
}

std::int64_t PackSource::lookaheadSamples() const {
  // Different epochs must be packed one by one: limited to some seconds of it.
  constexpr std::int64_t kSamplesPacked = std::int64_t{1} << 28;
  constexpr std::int64_t kEpochsPacked = kTablesKept;
  const std::int64_t size = state_->lengths->size();
  if (sameEveryEpoch()) return farthestSample(state_->lengths->longest());
  return size > kSamplesPacked / kEpochsPacked ? std::max(size, kSamplesPacked) : size * kEpochsPacked;
}

UnitCounts PackSource::usable() const {
  return {state_->usable, state_->usableTokens};
}

std::shared_ptr<const PackSource::Window> PackSource::windowAt(std::int64_t epoch, std::int64_t window) const {
  const auto plain = state_->plainBegin(window);
  if (plain) return packWindow(epoch, window, *plain);
  const auto table = extendedTable(epoch, [window](const EpochTable& known) { return known.known() >= window; });
  return packWindow(epoch, window, table->begins[static_cast<std::size_t>(window)]);
}

/// Sequences left over from a group at the end of a window go to the next one.
std::shared_ptr<const PackSource::Window> PackSource::packWindow(std::int64_t epoch, std::int64_t window,
                                                                 std::int64_t begin) const {
  const std::int64_t key = state_->keyOf(epoch);
  {
    const MutexLock lock(state_->mutex);
    for (const auto& known : state_->windows)
      if (known.epoch == key && known.window == window) return known.packed;
  }
  const bool last = window + 1 == windows();
  const std::int64_t whole = last ? state_->lengths->size() : (window + 1) * kWindow;
  const std::int64_t end = last ? whole : state_->plainBegin(window + 1).value_or(whole);
  const auto size = static_cast<std::size_t>(end - begin);
  std::vector<std::int64_t> samples(size);
  if (state_->picking == PickingOrder::BySize)
    std::copy_n(state_->bySize.begin() + begin, size, samples.begin());
  else
    state_->orderOf(key).samplesFrom(begin, samples);
  std::vector<std::uint32_t> lengths(size);
  for (std::size_t index = 0; index < size; ++index) lengths[index] = state_->lengths->at(samples[index]);
  if (!last && !state_->plainBegin(window + 1))
    lengths.resize(wholeGroups(lengths, state_->rules.maxTokens, state_->group));
  auto made = std::make_shared<Window>();
  made->begin = begin;
  made->end = begin + static_cast<std::int64_t>(lengths.size());
  made->packed = packSequences(lengths, state_->rules);
  const MutexLock lock(state_->mutex);
  if (state_->windows.size() == kWindowsKept) state_->windows.erase(state_->windows.begin());
  state_->windows.push_back({key, window, made});
  return made;
}

std::shared_ptr<const PackSource::EpochTable> PackSource::tableWith(std::int64_t epoch, std::int64_t packs) const {
  return extendedTable(epoch, [packs](const EpochTable& table) { return table.packs.back() >= packs; });
}

std::shared_ptr<const PackSource::EpochTable> PackSource::extendedTable(
    std::int64_t epoch, const std::function<bool(const EpochTable&)>& enough) const {
  const std::int64_t key = state_->keyOf(epoch);
  std::shared_ptr<const EpochTable> known = std::make_shared<EpochTable>();
  {
    const MutexLock lock(state_->mutex);
    if (const auto cached = state_->tables.find(key); cached != state_->tables.end()) known = cached->second;
  }
  if (enough(*known) || known->known() == windows()) return known;
  auto table = std::make_shared<EpochTable>(*known);
  while (!enough(*table) && table->known() < windows()) {
    const auto window = packWindow(epoch, table->known(), table->begins.back());
    table->begins.push_back(window->end);
    table->packs.push_back(table->packs.back() + window->packed.packs());
    table->samples.push_back(table->samples.back() + window->packed.samples());
    table->tokens.push_back(table->tokens.back() + window->packed.tokens());
  }
  const MutexLock lock(state_->mutex);
  if (state_->tables.size() >= kTablesKept) state_->tables.clear();
  state_->tables[key] = table;
  return table;
}

std::int64_t PackSource::unitsUpTo(std::int64_t epoch, std::int64_t most) const {
  return std::min(most, tableWith(epoch, most)->packs.back());
}

UnitCounts PackSource::before(std::int64_t epoch, std::int64_t units) const {
  if (units == 0) return {};
  const auto table = tableWith(epoch, units);
  // The window of pack number `units` (from 1).
  const auto found = std::lower_bound(table->packs.begin(), table->packs.end(), units);
  if (found == table->packs.end()) return {table->samples.back(), table->tokens.back()};
  const auto window = static_cast<std::size_t>(found - table->packs.begin()) - 1;
  const auto packed = windowAt(epoch, static_cast<std::int64_t>(window));
  const std::int64_t inside =
      std::min(units - table->packs[window], packed->packed.packs());  // of a file cut meanwhile
  return {table->samples[window] + packed->packed.beginOf(inside),
          table->tokens[window] + packed->packed.tokensBefore(inside)};
}

PackSource::Place PackSource::placeOf(std::int64_t epoch, const UnitCursor& from) const {
  if (from.unit == 0) return {0, 0};
  const bool allPacked =
      state_->lengths->longest() <= state_->rules.maxTokens && state_->rules.small == SmallPacks::Keep;
  if (allPacked) {
    // Every position is packed, so the sample count gives the window without a table. A window starts up to one group
    // before its multiple of 2^18.
    if (from.sample >= state_->lengths->size()) return {windows(), 0};
    std::int64_t window = from.sample / kWindow;
    if (window + 1 < windows() && from.sample >= *state_->plainBegin(window + 1)) ++window;
    const auto packed = windowAt(epoch, window);
    const auto& ends = packed->packed.ends;
    const auto inside = static_cast<std::uint32_t>(from.sample - packed->begin);
    return {window, std::upper_bound(ends.begin(), ends.end(), inside) - ends.begin()};
  }
  const auto table = tableWith(epoch, from.unit + 1);
  const auto found = std::upper_bound(table->packs.begin(), table->packs.end(), from.unit);
  if (found == table->packs.end()) return {windows(), 0};
  const auto window = static_cast<std::size_t>(found - table->packs.begin()) - 1;
  return {static_cast<std::int64_t>(window), from.unit - table->packs[window]};
}

UnitSlice PackSource::take(std::int64_t epoch, const UnitCursor& from, std::int64_t units) const {
  UnitSlice slice;
  Place place = placeOf(epoch, from);
  while (place.window < windows()) {
    const auto window = windowAt(epoch, place.window);
    place.pack = std::min(place.pack, window->packed.packs());  // of a file cut meanwhile
    const std::int64_t taken = std::min(units - slice.units, window->packed.packs() - place.pack);
    slice.units += taken;
    slice.counts.samples += window->packed.beginOf(place.pack + taken) - window->packed.beginOf(place.pack);
    slice.counts.tokens += window->packed.tokensBefore(place.pack + taken) - window->packed.tokensBefore(place.pack);
    if (place.pack + taken < window->packed.packs()) return slice;
    place = {place.window + 1, 0};
  }
  slice.reachesEnd = true;
  return slice;
}

std::vector<std::vector<std::int64_t>> PackSource::members(std::int64_t epoch, const UnitCursor& from,
                                                           std::int64_t units) const {
  std::vector<std::vector<std::int64_t>> packs;
  const EpochOrder order = state_->orderOf(state_->keyOf(epoch));
  Place place = placeOf(epoch, from);
  for (; place.window < windows() && static_cast<std::int64_t>(packs.size()) < units; place = {place.window + 1, 0}) {
    const auto window = windowAt(epoch, place.window);
    for (; place.pack < window->packed.packs() && static_cast<std::int64_t>(packs.size()) < units; ++place.pack) {
      std::vector<std::int64_t>& pack = packs.emplace_back();
      const std::uint32_t end = window->packed.beginOf(place.pack + 1);
      for (std::uint32_t index = window->packed.beginOf(place.pack); index < end; ++index)
        pack.push_back(state_->sampleAt(order, window->begin + window->packed.places[index]));
    }
  }
  return packs;
}

std::vector<std::shared_ptr<const PackSource::Window>> PackSource::sampledWindows(std::int64_t epoch) const {
  constexpr std::int64_t kMaxSampledWindows = 16;
  const std::int64_t sampled = std::min(windows(), kMaxSampledWindows);
  // Otherwise a window's start depends on those before it: use the first ones.
  const bool spreads = state_->plainBegin(0) && sampled > 1;
  std::vector<std::shared_ptr<const Window>> all;
  for (std::int64_t index = 0; index < sampled; ++index)
    all.push_back(windowAt(epoch, spreads ? index * (windows() - 1) / (sampled - 1) : index));
  return all;
}

std::int64_t PackSource::maxSamplesPerPack(std::int64_t epoch) const {
  std::int64_t most = 0;
  for (const auto& window : sampledWindows(epoch))
    for (std::int64_t pack = 0; pack < window->packed.packs(); ++pack)
      most = std::max<std::int64_t>(most, window->packed.beginOf(pack + 1) - window->packed.beginOf(pack));
  return most;
}

PackSource::Mean PackSource::mean(std::int64_t epoch) const {
  std::int64_t packs = 0;
  UnitCounts counts;
  for (const auto& window : sampledWindows(epoch)) {
    packs += window->packed.packs();
    counts.samples += window->packed.samples();
    counts.tokens += window->packed.tokens();
  }
  if (packs == 0) return {};
  return {static_cast<double>(counts.samples) / static_cast<double>(packs),
          static_cast<double>(counts.tokens) / static_cast<double>(packs)};
}

double PackSource::fill(std::int64_t epoch) const {
  const auto table = tableWith(epoch, std::numeric_limits<std::int64_t>::max());
  const double room = static_cast<double>(table->packs.back()) * static_cast<double>(state_->rules.maxTokens);
  return room > 0.0 ? static_cast<double>(table->tokens.back()) / room : 0.0;
}

std::vector<SkippedSample> PackSource::skipped(std::int64_t epoch) const {
  std::vector<SkippedSample> all;
  const EpochOrder order = state_->orderOf(state_->keyOf(epoch));
  for (std::int64_t index = 0; index < windows(); ++index) {
    const auto window = windowAt(epoch, index);
    const auto list = [&](const std::vector<std::uint32_t>& places, const std::string& why) {
      for (const std::uint32_t place : places) {
        const std::int64_t sample = state_->sampleAt(order, window->begin + place);
        all.push_back({sample, state_->lengths->at(sample), why});
      }
    };
    list(window->packed.tooLong, "longer than max_tokens " + std::to_string(state_->rules.maxTokens));
    list(window->packed.discarded,
         "in a pack of fewer than " + std::to_string(state_->rules.minSequences) + " (on_small_pack: discard)");
  }
  return all;
}

}  // namespace batchwise
