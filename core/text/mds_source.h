// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "core/base/result.h"
#include "core/text/table_library.h"
#include "core/text/text_source.h"

namespace batchwise {

/// Returns the columns of a shard in the format MDS of MosaicML Streaming; those encoded as `str` hold text. Packed
/// shards are unpacked. Fails as openByteSource(), or with Corrupt if it is none.
Result<TableColumns> mdsColumns(const std::filesystem::path& path);

/// Opens a column of texts as lines of JSON, {"<column>": "..."}, one for each sample. Fails as mdsColumns(), or with
/// Config if there is no such column or it holds no text; reading fails with Corrupt.
Result<std::unique_ptr<ByteSource>> openMds(const std::filesystem::path& path, const std::string& column);

}  // namespace batchwise
