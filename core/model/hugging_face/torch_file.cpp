// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/format.h"
#include "core/model/hugging_face/safetensors.h"

namespace batchwise {
namespace {

/// Of a pickle, and of a zip file's directory: a tensor takes about 200 bytes in either.
constexpr std::int64_t kMostBytes = 4 << 20;
constexpr std::size_t kLongestText = 1000;  // names of tensors and storages

Error damagedTorchFile(const std::string& what) {
  return Error::corrupt(formatText("not a valid file of torch.save(): {}; download or save it again", what));
}

/// Reads little-endian numbers and texts one after another. Beyond the end it gives zeros and empty texts, and isCut().
class ByteCursor {
 public:
  explicit ByteCursor(std::span<const std::byte> bytes, std::uint64_t at = 0)
      : bytes_(bytes), at_(std::min<std::uint64_t>(at, bytes.size())), isCut_(at > bytes.size()) {}

  std::string_view text(std::uint64_t count) {
    isCut_ = isCut_ || count > bytes_.size() - at_;
    if (isCut_) return {};
    const char* begin = reinterpret_cast<const char*>(bytes_.data()) + at_;
    at_ += count;
    return {begin, static_cast<std::size_t>(count)};
  }
  template <std::unsigned_integral Number>
  Number number() {
    Number value = 0;
    if (const std::string_view bytes = text(sizeof value); !isCut_) std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }
  std::string_view line() {
    const auto rest = bytes_.subspan(at_);
    const auto end = std::ranges::find(rest, std::byte{'\n'});
    const std::string_view found = text(static_cast<std::uint64_t>(end - rest.begin()));
    text(1);
    return found;
  }
  void skip(std::uint64_t count) { text(count); }
  bool isCut() const { return isCut_; }
  std::int64_t position() const { return static_cast<std::int64_t>(at_); }

 private:
  std::span<const std::byte> bytes_;
  std::uint64_t at_;
  bool isCut_;
};

/// A stretch of the file.
struct Extent {
  std::int64_t firstByte = 0, bytes = 0;
};
using Extents = std::map<std::string, Extent, std::less<>>;

// The zip format: APPNOTE.TXT 6.3.10 of PKWARE, sections 4.3.7, 4.3.12 and 4.3.14 to 4.3.16.

constexpr std::uint32_t kLocalHeader = 0x04034b50, kDirectoryEntry = 0x02014b50, kDirectoryEnd = 0x06054b50;
constexpr std::uint32_t kDirectoryEnd64 = 0x06064b50, kDirectoryLocator64 = 0x07064b50;
constexpr std::uint64_t kDirectoryEndBytes = 22, kLocatorBytes = 20;
constexpr std::uint32_t kIn64 = 0xFFFFFFFF;  // the number stands in the part for large files

/// Returns where the directory of a zip file lies.
Result<Extent> zipDirectory(std::span<const std::byte> file) {
  constexpr std::uint64_t kLongestComment = 0xFFFF;
  const std::uint64_t size = file.size();
  for (std::uint64_t behind = kDirectoryEndBytes; behind <= std::min(size, kDirectoryEndBytes + kLongestComment);
       ++behind) {
    ByteCursor end(file, size - behind);
    if (end.number<std::uint32_t>() != kDirectoryEnd) continue;
    end.skip(8);
    std::uint64_t bytes = end.number<std::uint32_t>(), first = end.number<std::uint32_t>();
    if (ByteCursor locator(file, size - std::min(size, behind + kLocatorBytes));
        (bytes == kIn64 || first == kIn64) && locator.number<std::uint32_t>() == kDirectoryLocator64) {
      locator.skip(4);
      ByteCursor end64(file, locator.number<std::uint64_t>());
      if (end64.number<std::uint32_t>() != kDirectoryEnd64) break;
      end64.skip(36);
      bytes = end64.number<std::uint64_t>();
      first = end64.number<std::uint64_t>();
    }
    if (bytes > std::uint64_t{kMostBytes} || first > size || bytes > size - first) break;
    return Extent{static_cast<std::int64_t>(first), static_cast<std::int64_t>(bytes)};
  }
  return damagedTorchFile("its directory of parts is missing: it is cut off or damaged");
}

/// Returns the parts of a zip file by name.
Result<Extents> zipParts(std::span<const std::byte> file) {
  ASSIGN_OR_RETURN(const Extent directory, zipDirectory(file));
  Extents parts;
  ByteCursor entry(file.first(static_cast<std::size_t>(directory.firstByte + directory.bytes)),
                   static_cast<std::uint64_t>(directory.firstByte));
  while (entry.position() < directory.firstByte + directory.bytes) {
    const bool isEntry = entry.number<std::uint32_t>() == kDirectoryEntry;
    entry.skip(6);
    const auto method = entry.number<std::uint16_t>();
    entry.skip(8);
    std::uint64_t packed = entry.number<std::uint32_t>(), bytes = entry.number<std::uint32_t>();
    const auto nameBytes = entry.number<std::uint16_t>(), extraBytes = entry.number<std::uint16_t>(),
               commentBytes = entry.number<std::uint16_t>();
    entry.skip(8);
    std::uint64_t header = entry.number<std::uint32_t>();
    const std::string name(entry.text(nameBytes));
    const std::string_view extra = entry.text(extraBytes);
    entry.skip(commentBytes);
    if (!isEntry || entry.isCut()) return damagedTorchFile("its directory of parts is damaged");
    for (ByteCursor fields(std::as_bytes(std::span(extra))); !fields.isCut();) {
      const auto id = fields.number<std::uint16_t>();
      const std::string_view field = fields.text(fields.number<std::uint16_t>());
      if (id != 1) continue;
      ByteCursor large(std::as_bytes(std::span(field)));
      for (std::uint64_t* number : {&bytes, &packed, &header})
        if (*number == kIn64) *number = large.number<std::uint64_t>();
    }
    ByteCursor local(file, header);
    const bool isLocal = local.number<std::uint32_t>() == kLocalHeader;
    local.skip(22);
    const auto localNameBytes = local.number<std::uint16_t>();
    local.skip(local.number<std::uint16_t>() + std::uint64_t{localNameBytes});
    const std::int64_t first = local.position();
    if (!isLocal || local.isCut() || bytes > file.size() - static_cast<std::uint64_t>(first))
      return damagedTorchFile(formatText("its part '{}' ends beyond the file", name));
    if (method != 0) return damagedTorchFile(formatText("its part '{}' is compressed", name));
    parts[name] = {first, static_cast<std::int64_t>(bytes)};
  }
  return parts;
}

// The pickle format: protocol 2, which torch.save() writes. Source: Python's pickletools.py.

/// What a pickle may name.
enum class Known { OrderedDict, RebuildTensor, RebuildParameter, Storage };
struct KnownName {
  std::string_view name;
  Known known;
  TensorType type = TensorType::F32;  ///< of a storage
};
constexpr KnownName kKnownNames[] = {{"collections.OrderedDict", Known::OrderedDict},
                                     {"torch._utils._rebuild_tensor_v2", Known::RebuildTensor},
                                     {"torch._utils._rebuild_parameter", Known::RebuildParameter},
                                     {"torch.DoubleStorage", Known::Storage, TensorType::F64},
                                     {"torch.FloatStorage", Known::Storage, TensorType::F32},
                                     {"torch.HalfStorage", Known::Storage, TensorType::F16},
                                     {"torch.BFloat16Storage", Known::Storage, TensorType::BF16},
                                     {"torch.LongStorage", Known::Storage, TensorType::I64}};

enum class Kind : std::uint8_t { None, Mark, Number, Text, Known, List, Dictionary, Storage, Tensor };
/// A value of a pickle. `number`: itself, or its index among those of its kind.
struct Value {
  Kind kind = Kind::None;
  std::int64_t number = 0;
};
struct PickledStorage {
  TensorType type = TensorType::F32;
  Value key;
  std::int64_t count = 0;
};
struct PickledTensor {
  std::size_t storage = 0;
  std::int64_t offset = 0;  ///< in elements, like the strides
  std::vector<std::int64_t> shape, strides;
};

/// A stack machine that builds the values of pickles. They lie in lists, by index, so that one that holds itself is no
/// cycle.
class Unpickler {
 public:
  Unpickler(std::span<const std::byte> file, std::int64_t at) : cursor_(file, static_cast<std::uint64_t>(at)) {}

  /// Returns the value of the pickle at the position, which is then behind it. Values of earlier ones stay.
  Result<Value> load() {
    memo_.clear();
    stack_.clear();
    for (std::uint8_t instruction = 0; !error_ && instruction != '.';) {
      instruction = cursor_.number<std::uint8_t>();
      execute(instruction);
      if (cursor_.isCut()) fail();
    }
    const Value result = pop();
    return error_ ? Result<Value>(*error_) : Result<Value>(result);
  }

  std::int64_t position() const { return cursor_.position(); }
  const std::string& text(Value value) const { return texts_[index(value)]; }
  /// Items of a list, or keys and values of a dictionary in turns.
  const std::vector<Value>& items(Value value) const { return items_[index(value)]; }
  const PickledTensor& tensor(Value value) const { return tensors_[index(value)]; }
  const std::vector<PickledStorage>& storages() const { return storages_; }

 private:
  static std::size_t index(Value value) { return static_cast<std::size_t>(value.number); }
  void fail(Error error = damagedTorchFile("its pickle is cut off or damaged")) {
    if (!error_) error_ = std::move(error);
  }

  void push(Kind kind, std::int64_t number = 0) { stack_.push_back({kind, number}); }
  void pushItems(Kind kind, std::vector<Value> items) {
    push(kind, std::ssize(items_));
    items_.push_back(std::move(items));
  }
  Value top() {
    if (stack_.empty() || stack_.back().kind == Kind::Mark) fail();
    return error_ ? Value() : stack_.back();
  }
  Value pop() {
    const Value value = top();
    if (!error_) stack_.pop_back();
    return value;
  }
  std::vector<Value> popped(std::size_t count) {
    std::vector<Value> values(count);
    for (std::size_t i = count; i-- > 0;) values[i] = pop();
    return values;
  }
  std::vector<Value> poppedToMark() {
    std::size_t first = stack_.size();
    while (first > 0 && stack_[first - 1].kind != Kind::Mark) --first;
    std::vector<Value> values = popped(stack_.size() - first);
    if (first == 0)
      fail();
    else
      stack_.pop_back();
    return values;
  }
  bool isOf(Value value, Kind kind) {
    if (value.kind != kind) fail();
    return value.kind == kind;
  }
  /// Returns the items of a list, of which no tensor needs more; none if the value is something else.
  std::vector<Value> shortList(Value list) {
    if (!isOf(list, Kind::List) || items(list).size() > kMostDimensions) fail();
    return error_ ? std::vector<Value>() : items(list);
  }

  void execute(std::uint8_t instruction) {
    switch (instruction) {
      case '.': return;
      case 0x80: return checkProtocol(cursor_.number<std::uint8_t>());
      case 'N': return push(Kind::None);
      case '(': return push(Kind::Mark);
      case 0x88: return push(Kind::Number, 1);
      case 0x89: return push(Kind::Number, 0);
      case 'K': return push(Kind::Number, cursor_.number<std::uint8_t>());
      case 'M': return push(Kind::Number, cursor_.number<std::uint16_t>());
      case 'G': cursor_.skip(8); return push(Kind::None);  // a float
      case 'J': return push(Kind::Number, static_cast<std::int32_t>(cursor_.number<std::uint32_t>()));
      case 0x8A: return pushLong(cursor_.text(cursor_.number<std::uint8_t>()));
      case 'X': return pushText(cursor_.text(cursor_.number<std::uint32_t>()));
      case ']':
      case ')': return pushItems(Kind::List, {});
      case '}': return pushItems(Kind::Dictionary, {});
      case 't': return pushItems(Kind::List, poppedToMark());
      case 0x85: return pushItems(Kind::List, popped(1));
      case 0x86: return pushItems(Kind::List, popped(2));
      case 0x87: return pushItems(Kind::List, popped(3));
      case 'a': return append(Kind::List, popped(1));
      case 'e': return append(Kind::List, poppedToMark());
      case 's': return append(Kind::Dictionary, popped(2));
      case 'u': return append(Kind::Dictionary, poppedToMark());
      case 'b': pop(); return isOf(top(), Kind::Dictionary) ? void() : fail();  // its attributes: versions of modules
      case 'q': return remember(cursor_.number<std::uint8_t>());
      case 'r': return remember(cursor_.number<std::uint32_t>());
      case 'h': return recall(cursor_.number<std::uint8_t>());
      case 'j': return recall(cursor_.number<std::uint32_t>());
      case 'c': {
        const std::string_view module = cursor_.line();
        return pushKnown(module, cursor_.line());
      }
      case 'Q': return pushStorage(shortList(pop()));
      case 'R': {
        const std::vector<Value> arguments = shortList(pop());
        return call(pop(), arguments);
      }
      default: fail();
    }
  }

  void checkProtocol(std::uint8_t version) {
    if (version == 2) return;
    fail(Error::unsupported(
        formatText("its pickle has protocol {}; only 2 can be read, with which torch.save() writes", version)));
  }
  void pushText(std::string_view text) {
    if (text.size() > kLongestText) return fail();
    push(Kind::Text, std::ssize(texts_));
    texts_.emplace_back(text);
  }
  void pushLong(std::string_view bytes) {
    if (bytes.empty() || bytes.size() > sizeof(std::int64_t)) return push(Kind::None);  // the number of the format
    std::uint64_t value = static_cast<signed char>(bytes.back()) < 0 ? ~std::uint64_t{0} : 0;
    std::memcpy(&value, bytes.data(), bytes.size());
    push(Kind::Number, static_cast<std::int64_t>(value));
  }
  void append(Kind kind, const std::vector<Value>& values) {
    if (const Value target = top(); isOf(target, kind) && (kind == Kind::List || values.size() % 2 == 0))
      items_[index(target)].insert(items_[index(target)].end(), values.begin(), values.end());
    else
      fail();
  }
  void remember(std::uint32_t place) { memo_[place] = top(); }
  void recall(std::uint32_t place) {
    const auto found = memo_.find(place);
    return found == memo_.end() ? fail() : stack_.push_back(found->second);
  }

  void pushKnown(std::string_view module, std::string_view member) {
    const std::string name = formatText("{}.{}", module, member);
    const auto* known = std::ranges::find(kKnownNames, std::string_view(name), &KnownName::name);
    if (cursor_.isCut()) return;
    if (known != std::end(kKnownNames)) return push(Kind::Known, known - kKnownNames);
    if (module == "torch" && member.ends_with("Storage"))
      return fail(Error::unsupported(formatText(
          "it holds a {}: only tensors of float64, float32, float16, bfloat16 and int64 can be read", name)));
    fail(Error::unsupported(formatText(
        "it holds '{}', which is no tensor and may be code: nothing of it was run. Where the model was made, "
        "write its weights alone, by save_pretrained() or as torch.save(model.state_dict(), file)",
        shortenedName(name))));
  }

  /// `parts`: "storage", type, key, device, number of elements.
  void pushStorage(const std::vector<Value>& parts) {
    const bool isWhole = parts.size() == 5 || (parts.size() == 6 && parts[5].kind == Kind::None);
    if (!isWhole || !isOf(parts[1], Kind::Known) || !isOf(parts[2], Kind::Text) || !isOf(parts[4], Kind::Number))
      return fail();
    push(Kind::Storage, std::ssize(storages_));
    storages_.push_back({kKnownNames[index(parts[1])].type, parts[2], parts[4].number});
  }
  void call(Value function, const std::vector<Value>& arguments) {
    if (!isOf(function, Kind::Known)) return;
    const Known known = kKnownNames[index(function)].known;
    if (known == Known::OrderedDict && arguments.empty()) return pushItems(Kind::Dictionary, {});
    if (known == Known::RebuildTensor) return rebuildTensor(arguments);
    if (known == Known::RebuildParameter && !arguments.empty()) return stack_.push_back(arguments[0]);
    fail();
  }
  /// `arguments`: storage, offset, shape, strides, and what training needs.
  void rebuildTensor(const std::vector<Value>& arguments) {
    if (arguments.size() < 4 || !isOf(arguments[0], Kind::Storage) || !isOf(arguments[1], Kind::Number)) return fail();
    push(Kind::Tensor, std::ssize(tensors_));
    tensors_.push_back({index(arguments[0]), arguments[1].number, numbers(arguments[2]), numbers(arguments[3])});
  }
  std::vector<std::int64_t> numbers(Value list) {
    std::vector<std::int64_t> found;
    for (const Value value : shortList(list)) {
      isOf(value, Kind::Number);
      found.push_back(value.number);
    }
    return found;
  }

  ByteCursor cursor_;
  std::optional<Error> error_;
  std::vector<Value> stack_;
  std::map<std::uint32_t, Value> memo_;
  std::vector<std::string> texts_;
  std::vector<std::vector<Value>> items_;
  std::vector<PickledStorage> storages_;
  std::vector<PickledTensor> tensors_;
};

/// Places a tensor. `extent`: of its storage. Fails if an element lies outside, or the tensor has more than the
/// storage.
Result<TensorInfo> placedTensor(const std::string& name, const PickledTensor& tensor, const PickledStorage& storage,
                                Extent extent) {
  const auto refuse = [&name](const char* why) {
    return damagedTorchFile(formatText("tensor \"{}\" {}", shortenedName(name), why));
  };
  const std::int64_t width = tensorTypeBytes(storage.type);
  if (storage.count < 0 || storage.count > extent.bytes / width) return refuse("is larger than its data in the file");
  if (tensor.shape.size() != tensor.strides.size() || tensor.shape.size() > kMostDimensions)
    return refuse("has no valid shape");
  std::int64_t count = 1, last = tensor.offset;
  bool fits = tensor.offset >= 0;
  for (std::size_t d = 0; d < tensor.shape.size() && fits; ++d) {
    std::int64_t reach = 0;
    fits = tensor.shape[d] >= 0 && tensor.strides[d] >= 0 && !__builtin_mul_overflow(count, tensor.shape[d], &count) &&
           !__builtin_mul_overflow(std::max<std::int64_t>(tensor.shape[d] - 1, 0), tensor.strides[d], &reach) &&
           !__builtin_add_overflow(last, reach, &last);
  }
  if (!fits || count > storage.count || (count > 0 && last >= storage.count))
    return refuse("reaches beyond its data in the file");
  const std::int64_t first = count > 0 ? extent.firstByte + tensor.offset * width : extent.firstByte;
  return TensorInfo{name, storage.type, tensor.shape, first, count * width, tensor.strides};
}

/// `data`: of the storages, by `prefix` and their keys.
Result<std::vector<TensorInfo>> placedTensors(const Unpickler& pickle, Value top, const Extents& data,
                                              const std::string& prefix) {
  if (top.kind != Kind::Dictionary) return Error::unsupported("it holds no dictionary of tensors");
  std::vector<TensorInfo> tensors;
  std::set<std::string> names;
  const std::vector<Value>& entries = pickle.items(top);
  for (std::size_t i = 0; i + 1 < entries.size(); i += 2) {
    const bool isNamed = entries[i].kind == Kind::Text;
    const std::string name = isNamed ? pickle.text(entries[i]) : std::string();
    if (!isNamed || entries[i + 1].kind != Kind::Tensor)
      return Error::unsupported(formatText(
          "its entry \"{}\" is no tensor: it is a checkpoint of a trainer rather than the weights alone; write "
          "these by save_pretrained() or as torch.save(model.state_dict(), file)",
          shortenedName(name)));
    if (!names.insert(name).second)
      return damagedTorchFile(formatText("it has tensor \"{}\" twice", shortenedName(name)));
    const PickledTensor& tensor = pickle.tensor(entries[i + 1]);
    const PickledStorage& storage = pickle.storages()[tensor.storage];
    const auto extent = data.find(prefix + pickle.text(storage.key));
    if (extent == data.end())
      return damagedTorchFile(formatText("the data of tensor \"{}\" is missing", shortenedName(name)));
    ASSIGN_OR_RETURN(auto placed, placedTensor(name, tensor, storage, extent->second));
    tensors.push_back(std::move(placed));
  }
  return tensors;
}

/// One part is the pickle, and each storage another.
Result<std::vector<TensorInfo>> parseZip(std::span<const std::byte> file) {
  constexpr std::string_view kPickle = "/data.pkl";
  ASSIGN_OR_RETURN(const Extents parts, zipParts(file));
  const auto pickled = std::ranges::find_if(parts, [&](const auto& part) { return part.first.ends_with(kPickle); });
  if (pickled == parts.end()) return damagedTorchFile("it has no part data.pkl");
  const Extent at = pickled->second;
  if (at.bytes > kMostBytes) return damagedTorchFile(formatText("its pickle takes {}", formatBytes(at.bytes)));
  Unpickler pickle(file.first(static_cast<std::size_t>(at.firstByte + at.bytes)), at.firstByte);
  ASSIGN_OR_RETURN(const Value top, pickle.load());
  const std::string folder = pickled->first.substr(0, pickled->first.size() - kPickle.size());
  return placedTensors(pickle, top, parts, folder + "/data/");
}

/// Five pickles (a number that marks the format, its version, facts of the machine, the dictionary, the keys of the
/// storages), then the storages, each behind the number of its elements.
Result<std::vector<TensorInfo>> parseOldFormat(std::span<const std::byte> file) {
  Unpickler pickle(file.first(std::min(file.size(), static_cast<std::size_t>(kMostBytes))), 0);
  for (int before = 0; before < 3; ++before) RETURN_IF_ERROR(pickle.load());
  ASSIGN_OR_RETURN(const Value top, pickle.load());
  ASSIGN_OR_RETURN(const Value keys, pickle.load());
  std::map<std::string, std::int64_t, std::less<>> widths;
  for (const PickledStorage& storage : pickle.storages())
    widths[pickle.text(storage.key)] = tensorTypeBytes(storage.type);
  if (keys.kind != Kind::List) return damagedTorchFile("it has no list of its data");
  Extents data;
  ByteCursor cursor(file, static_cast<std::uint64_t>(pickle.position()));
  for (const Value key : pickle.items(keys)) {
    const auto width = key.kind == Kind::Text ? widths.find(pickle.text(key)) : widths.end();
    if (width == widths.end()) return damagedTorchFile("its list of data names what no tensor has");
    const auto count = cursor.number<std::uint64_t>();
    const std::int64_t first = cursor.position();
    std::int64_t bytes = 0;
    if (__builtin_mul_overflow(count, width->second, &bytes) || bytes > std::ssize(file) - first || cursor.isCut())
      return damagedTorchFile("its data ends beyond the file: it is cut off or damaged");
    cursor.skip(static_cast<std::uint64_t>(bytes));
    data[pickle.text(key)] = {first, bytes};
  }
  return placedTensors(pickle, top, data, "");
}

}  // namespace

Result<std::vector<TensorInfo>> parseTorchFile(std::span<const std::byte> file) {
  constexpr std::string_view kOldFormat = "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.";
  const std::string_view start(reinterpret_cast<const char*>(file.data()), std::min(file.size(), kOldFormat.size()));
  if (start == kOldFormat) return parseOldFormat(file);
  if (start.starts_with("PK")) return parseZip(file);
  return damagedTorchFile("it does not begin as one");
}

}  // namespace batchwise
