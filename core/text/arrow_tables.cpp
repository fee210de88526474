// SPDX-License-Identifier: GPL-3.0-or-later
// libbatchwise_tables.so: the only file that includes Arrow.
#include <arrow/array.h>
#include <arrow/io/file.h>
#include <arrow/ipc/reader.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>
#include <arrow/type.h>
#include <parquet/arrow/reader.h>
#include <parquet/arrow/schema.h>
#include <parquet/stream_writer.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <fstream>
#include <string_view>

#include "core/base/format.h"
#include "core/text/record_source.h"
#include "core/text/table_library.h"

namespace batchwise {
namespace {
namespace fs = std::filesystem;

constexpr std::size_t kBytesAtOnce = std::size_t{1} << 18;
constexpr std::int64_t kRowsAtOnce = 64;  // of a table of books, some hundred MB

Error tableError(const fs::path& path, const arrow::Status& status) {
  if (status.IsOutOfMemory())
    return {ErrorCode::OutOfMemory, formatText("not enough memory to read '{}'", path.native()), {}};
  std::string reason = status.message();
  reason = reason.substr(0, reason.find('\n'));
  return Error::corrupt(
      formatText("'{}' is damaged or no table: {}; download or write it again", path.native(), reason));
}

bool isText(const arrow::DataType& type) {
  return type.id() == arrow::Type::STRING || type.id() == arrow::Type::LARGE_STRING ||
         type.id() == arrow::Type::STRING_VIEW;
}

bool isList(const arrow::DataType& type) {
  return type.id() == arrow::Type::LIST || type.id() == arrow::Type::LARGE_LIST;
}

/// A table whose columns are known, or one of them as batches of rows.
class Table {
 public:
  static Result<Table> open(const fs::path& path) {
    Table table(path);
    std::error_code failed;
    if (!fs::is_regular_file(path, failed))
      return fs::exists(path, failed) ? Error::config(formatText("'{}' is no regular file", path.native()))
                                      : Error::fromErrno(ENOENT, "cannot read '{}'", path.native());
    if (const auto status = table.find(); !status.ok()) return tableError(path, status);
    if (table.schema_ == nullptr)
      return Error::config(formatText(
          "'{}' is no table of Parquet or Arrow (Feather of version 1 is not read: write it again)", path.native()));
    return table;
  }

  const arrow::Schema& schema() const { return *schema_; }

  /// Selects a column by its place in the schema.
  arrow::Status select(int column) {
    if (parquet_ != nullptr) {
      std::vector<int> groups(static_cast<std::size_t>(parquet_->num_row_groups()));
      for (std::size_t i = 0; i < groups.size(); ++i) groups[i] = static_cast<int>(i);
      const auto* field = &parquet_->manifest().schema_fields[static_cast<std::size_t>(column)];
      while (!field->children.empty()) field = &field->children.front();  // of a list, its items
      return parquet_->GetRecordBatchReader(groups, {field->column_index}).Value(&batches_);
    }
    arrow::ipc::IpcReadOptions options = readOptions();
    options.included_fields = {column};
    if (isStream_) {
      ARROW_ASSIGN_OR_RAISE(file_, arrow::io::ReadableFile::Open(path_.native()));
      return arrow::ipc::RecordBatchStreamReader::Open(file_, options).Value(&batches_);
    }
    return arrow::ipc::RecordBatchFileReader::Open(file_, options).Value(&blocks_);
  }

  /// Returns nothing at the end.
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> next() {
    if (batches_ != nullptr) {
      ARROW_ASSIGN_OR_RAISE(auto batch, batches_->Next());
      if (batch != nullptr) rows_ += batch->num_rows();
      return batch;
    }
    if (block_ == blocks_->num_record_batches()) return nullptr;
    return blocks_->ReadRecordBatch(block_++);
  }

  /// Bytes of the file that the rows so far are, by their share.
  std::int64_t bytesRead() const {
    if (isStream_) return file_->Tell().ValueOr(0);
    const auto share = [this](std::int64_t done, std::int64_t all) {
      return static_cast<double>(done) / static_cast<double>(std::max<std::int64_t>(1, all));
    };
    const double read = parquet_ != nullptr  ? share(rows_, parquet_->parquet_reader()->metadata()->num_rows())
                        : blocks_ != nullptr ? share(block_, blocks_->num_record_batches())
                                             : 0.0;
    return static_cast<std::int64_t>(std::min(1.0, read) * static_cast<double>(file_->GetSize().ValueOr(0)));
  }

 private:
  explicit Table(fs::path path) : path_(std::move(path)) {}

  static arrow::ipc::IpcReadOptions readOptions() {
    arrow::ipc::IpcReadOptions options;
    options.use_threads = false;
    return options;
  }

  arrow::Status find() {
    ARROW_ASSIGN_OR_RAISE(file_, arrow::io::ReadableFile::Open(path_.native()));
    std::array<char, 64> head{};
    ARROW_ASSIGN_OR_RAISE(const std::int64_t got, file_->Read(head.size(), head.data()));
    ARROW_RETURN_NOT_OK(file_->Seek(0));
    const std::string_view magic(head.data(), static_cast<std::size_t>(got));
    if (!isTable(magic)) return arrow::Status::OK();
    if (magic.starts_with("PAR1")) return findParquet();
    isStream_ = !magic.starts_with("ARROW1");
    if (isStream_) {
      ARROW_ASSIGN_OR_RAISE(const auto stream, arrow::ipc::RecordBatchStreamReader::Open(file_, readOptions()));
      schema_ = stream->schema();
    } else {
      ARROW_ASSIGN_OR_RAISE(const auto blocks, arrow::ipc::RecordBatchFileReader::Open(file_, readOptions()));
      schema_ = blocks->schema();
    }
    return arrow::Status::OK();
  }

  arrow::Status findParquet() {
    parquet::ReaderProperties properties;
    properties.enable_buffered_stream();
    parquet::ArrowReaderProperties arrowProperties(false);
    arrowProperties.set_batch_size(kRowsAtOnce);
    arrowProperties.set_pre_buffer(false);
    parquet::arrow::FileReaderBuilder builder;
    ARROW_RETURN_NOT_OK(builder.Open(file_, properties));
    ARROW_RETURN_NOT_OK(builder.properties(arrowProperties)->Build(&parquet_));
    return parquet_->GetSchema(&schema_);
  }

  fs::path path_;
  std::shared_ptr<arrow::io::ReadableFile> file_;
  bool isStream_ = false;
  std::shared_ptr<arrow::Schema> schema_;
  std::unique_ptr<parquet::arrow::FileReader> parquet_;
  std::shared_ptr<arrow::RecordBatchReader> batches_;
  std::shared_ptr<arrow::ipc::RecordBatchFileReader> blocks_;
  int block_ = 0;
  std::int64_t rows_ = 0;  // so far
};

class ColumnSource final : public RecordSource {
 public:
  ColumnSource(Table table, fs::path path, const std::string& column)
      : RecordSource(std::move(path), column), table_(std::move(table)) {}

  std::int64_t fileBytesRead() const override { return table_.bytesRead(); }

 private:
  Result<bool> addRecords() override {
    if (batch_ == nullptr || row_ == batch_->num_rows()) {
      auto next = table_.next();
      if (!next.ok()) return tableError(path(), next.status());
      batch_ = std::move(next).ValueUnsafe();
      row_ = 0;
      if (batch_ == nullptr) return false;
      if (const auto status = batch_->column(0)->View(bytesType(*batch_->column(0)->type())).Value(&texts_);
          !status.ok())
        return tableError(path(), status);
      if (const auto status = texts_->ValidateFull(); !status.ok()) return tableError(path(), status);
    }
    while (row_ < batch_->num_rows() && added() < kBytesAtOnce) add(textAt(row_++));
    return true;
  }

  static std::shared_ptr<arrow::DataType> bytesType(const arrow::DataType& type) {
    if (type.id() == arrow::Type::STRING) return arrow::binary();
    return type.id() == arrow::Type::LARGE_STRING ? arrow::large_binary() : arrow::binary_view();
  }

  std::string_view textAt(std::int64_t row) const {
    if (texts_->IsNull(row)) return {};
    switch (texts_->type_id()) {
      case arrow::Type::BINARY: return static_cast<const arrow::BinaryArray&>(*texts_).GetView(row);
      case arrow::Type::LARGE_BINARY: return static_cast<const arrow::LargeBinaryArray&>(*texts_).GetView(row);
      default: return static_cast<const arrow::BinaryViewArray&>(*texts_).GetView(row);
    }
  }

  Table table_;
  std::shared_ptr<arrow::RecordBatch> batch_;
  std::shared_ptr<arrow::Array> texts_;  // of the batch, as bytes
  std::int64_t row_ = 0;
};

class ValueSource final : public RecordSource {
 public:
  ValueSource(Table table, fs::path path, const std::string& column)
      : RecordSource(std::move(path), column), table_(std::move(table)) {}

  std::int64_t fileBytesRead() const override { return table_.bytesRead(); }

 private:
  Result<bool> addRecords() override {
    const auto batch = table_.next();
    if (!batch.ok()) return tableError(path(), batch.status());
    if (*batch == nullptr) return false;
    const arrow::Array& values = *(*batch)->column(0);
    if (const auto status = values.ValidateFull(); !status.ok()) return tableError(path(), status);
    for (std::int64_t row = 0; row < values.length(); ++row) {
      std::string json;
      append(values.GetScalar(row), json);
      addJson(json);
    }
    return true;
  }

  static void append(const arrow::Result<std::shared_ptr<arrow::Scalar>>& found, std::string& json) {
    if (!found.ok() || !(*found)->is_valid) {
      json += "null";
      return;
    }
    const arrow::Scalar& value = **found;
    if (value.type->id() == arrow::Type::DICTIONARY) {
      append(static_cast<const arrow::DictionaryScalar&>(value).GetEncodedValue(), json);
    } else if (isList(*value.type)) {
      const arrow::Array& items = *static_cast<const arrow::BaseListScalar&>(value).value;
      json += '[';
      for (std::int64_t i = 0; i < items.length(); ++i) {
        if (i > 0) json += ',';
        append(items.GetScalar(i), json);
      }
      json += ']';
    } else {
      appendJsonString(json, value.ToString());
    }
  }

  Table table_;
};

class ArrowTables final : public TableLibrary {
 public:
  Result<TableColumns> columns(const fs::path& path) const override {
    ASSIGN_OR_RETURN(const auto table, Table::open(path));
    return columnsOf(table);
  }

  Result<std::unique_ptr<ByteSource>> open(const fs::path& path, const std::string& column,
                                           ColumnValues values) const override {
    ASSIGN_OR_RETURN(auto table, Table::open(path));
    if (table.schema().GetAllFieldIndices(column).size() > 1) return severalColumns(column).within(path.native());
    const int place = table.schema().GetFieldIndex(column);
    const auto fits = [values](const arrow::DataType& type) {
      const arrow::DataType& item = isList(type) ? *type.field(0)->type() : type;
      return values == ColumnValues::Any ? item.num_fields() == 0 : isText(type);
    };
    if (place < 0 || !fits(*table.schema().field(place)->type()))
      return noSuchTextColumn(path, column, columnsOf(table));
    if (const auto status = table.select(place); !status.ok()) return tableError(path, status);
    if (values == ColumnValues::Any)
      return std::unique_ptr<ByteSource>(std::make_unique<ValueSource>(std::move(table), path, column));
    return std::unique_ptr<ByteSource>(std::make_unique<ColumnSource>(std::move(table), path, column));
  }

  Result<void> write(const fs::path& path, const std::string& run, const ForEachPoint& points) const override try {
    using parquet::LogicalType;
    parquet::schema::NodeVector columns;
    const auto add = [&columns](const char* name, parquet::Type::type type, const auto& logical) {
      columns.push_back(parquet::schema::PrimitiveNode::Make(name, parquet::Repetition::REQUIRED, logical, type));
    };
    add("run", parquet::Type::BYTE_ARRAY, LogicalType::String());
    add("series", parquet::Type::BYTE_ARRAY, LogicalType::String());
    add("step", parquet::Type::INT64, LogicalType::Int(64, true));
    add("wall_time", parquet::Type::INT64,
        LogicalType::Timestamp(true, LogicalType::TimeUnit::MICROS, false, /*force_set_converted_type=*/true));
    add("value", parquet::Type::DOUBLE, LogicalType::None());
    const auto schema = std::static_pointer_cast<parquet::schema::GroupNode>(
        parquet::schema::GroupNode::Make("schema", parquet::Repetition::REQUIRED, columns));
    PARQUET_ASSIGN_OR_THROW(const auto file, arrow::io::FileOutputStream::Open(path.native()));
    {
      parquet::StreamWriter rows(parquet::ParquetFileWriter::Open(file, schema));
      points([&](const std::string& series, std::int64_t step, double wallSec, double value) {
        rows << run << series << step << std::chrono::microseconds(std::llround(wallSec * 1e6)) << value
             << parquet::EndRow;
      });
      rows.EndRowGroup();
    }
    PARQUET_THROW_NOT_OK(file->Close());
    char end[4] = {};  // the writer's destructor has written the footer, and would tell no error
    std::ifstream written(path, std::ios::binary);
    if (!written.seekg(-4, std::ios::end).read(end, 4) || std::string_view(end, 4) != "PAR1")
      return Error{ErrorCode::DiskFull, formatText("cannot write '{}': its end is missing", path.native()), {}};
    return {};
  } catch (const parquet::ParquetException& failed) {
    return Error{ErrorCode::Io, formatText("cannot write '{}': {}", path.native(), failed.what()), {}};
  }

 private:
  static TableColumns columnsOf(const Table& table) {
    TableColumns columns;
    for (const auto& field : table.schema().fields()) {
      if (isText(*field->type()))
        columns.texts.push_back(field->name());
      else
        columns.others.push_back(formatText("{} ({})", field->name(), field->type()->ToString()));
    }
    return columns;
  }
};

}  // namespace
}  // namespace batchwise

extern "C" __attribute__((visibility("default"))) const batchwise::TableLibrary* batchwiseTableLibrary() {
  static const batchwise::ArrowTables tables;
  return &tables;
}
