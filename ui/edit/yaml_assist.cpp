// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/edit/yaml_assist.h"

#include <QtCore/QObject>
#include <QtCore/QRegularExpression>
#include <algorithm>
#include <optional>

#include "core/base/format.h"
#include "core/config/run_stages.h"
#include "ui/parts/display_text.h"

namespace batchwise {
namespace {

std::string joinedPath(const std::string& section, const std::string& name) {
  return section.empty() ? name : section + "." + name;
}

std::string sectionOf(const std::string& path) {
  const std::size_t dot = path.rfind('.');
  return dot == std::string::npos ? std::string() : path.substr(0, dot);
}

std::string leafName(const std::string& path) {
  return path.substr(path.rfind('.') + 1);
}

/// "batch.rampup.stages[1].at" -> "batch.rampup.stages.at".
std::string withoutIndexes(std::string path) {
  for (std::size_t open = path.find('['); open != std::string::npos; open = path.find('[', open))
    path.erase(open, path.find(']', open) - open + 1);
  return path;
}

int indentOf(const QString& line) {
  const auto first = std::find_if(line.begin(), line.end(), [](QChar c) { return c != QLatin1Char(' '); });
  return static_cast<int>(first - line.begin());
}

/// Returns the column of the comment in a line; -1 if it has none.
qsizetype commentStart(const QString& line) {
  const auto opensQuote = [&line](qsizetype at) {
    return at == 0 || line[at - 1].isSpace() || QStringLiteral("[{,:").contains(line[at - 1]);
  };
  QChar quote;
  for (qsizetype at = 0; at < line.size(); ++at) {
    const QChar c = line[at];
    if (!quote.isNull()) {
      if (quote == QLatin1Char('"') && c == QLatin1Char('\\'))
        ++at;
      else if (c == quote)
        quote = {};
    } else if ((c == QLatin1Char('"') || c == QLatin1Char('\'')) && opensQuote(at)) {
      quote = c;
    } else if (c == QLatin1Char('#') && (at == 0 || line[at - 1].isSpace())) {
      return at;
    }
  }
  return -1;
}

/// Returns the column at which the value that begins at `from` ends: before a comment, or in braces before the comma.
int endOfValue(const QString& line, int from, bool inBraces) {
  int depth = 0;
  QChar quote;
  int at = from;
  for (; at < line.size(); ++at) {
    const QChar c = line[at];
    if (!quote.isNull()) {
      if (c == quote) quote = {};
    } else if ((c == QLatin1Char('"') || c == QLatin1Char('\'')) && at == from) {
      quote = c;
    } else if (c == QLatin1Char('[') || c == QLatin1Char('{')) {
      ++depth;
    } else if ((c == QLatin1Char(']') || c == QLatin1Char('}')) && depth-- == 0 && inBraces) {
      break;
    } else if (c == QLatin1Char(',') && depth == 0 && inBraces) {
      break;
    } else if (c == QLatin1Char('#') && at > 0 && line[at - 1].isSpace()) {
      break;
    }
  }
  while (at > from && line[at - 1].isSpace()) --at;
  return at;
}

/// Returns the entry whose name begins at `at`, behind blanks; nothing if no name does.
std::optional<YamlEntry> entryAt(const QString& line, int number, int at, const std::string& section, bool inBraces) {
  static const QRegularExpression pattern(QStringLiteral(R"re(\s*"?([\w.]+)"?\s*:(?=\s|$))re"));
  const auto name =
      pattern.match(line, at, QRegularExpression::NormalMatch, QRegularExpression::AnchorAtOffsetMatchOption);
  if (!name.hasMatch()) return {};
  YamlEntry entry{joinedPath(section, name.captured(1).toStdString()), number, static_cast<int>(name.capturedStart(1)),
                  static_cast<int>(name.capturedEnd(1))};
  entry.value = static_cast<int>(name.capturedEnd(0));
  while (entry.value < line.size() && line[entry.value].isSpace()) ++entry.value;
  entry.valueEnd = endOfValue(line, entry.value, inBraces);
  return entry;
}

/// Adds an entry and, if its value begins with a brace, what stands in the braces.
void addEntry(std::vector<YamlEntry>& entries, const QString& line, const YamlEntry& entry) {
  entries.push_back(entry);
  if (entry.value >= line.size() || line[entry.value] != QLatin1Char('{')) return;
  for (int at = entry.value + 1; at < line.size();) {
    const auto inner = entryAt(line, entry.line, at, entry.path, true);
    if (!inner) return;
    addEntry(entries, line, *inner);
    at = inner->valueEnd;
    while (at < line.size() && line[at].isSpace()) ++at;
    if (at >= line.size() || line[at] != QLatin1Char(',')) return;
    ++at;
  }
}

/// A section that is open at a line, and the column of its name.
struct OpenSection {
  int column;
  std::string path;
};

/// Closes the sections whose entries stand further right than `column`; returns the path of the innermost one left.
std::string enclosing(std::vector<OpenSection>& open, int column) {
  while (!open.empty() && open.back().column >= column) open.pop_back();
  return open.empty() ? std::string() : open.back().path;
}

/// Returns the column behind the indentation and the dashes of list items.
int columnOfName(const QString& line) {
  int at = indentOf(line);
  while (at + 1 < line.size() && line[at] == QLatin1Char('-') && line[at + 1] == QLatin1Char(' ')) {
    ++at;
    while (at < line.size() && line[at] == QLatin1Char(' ')) ++at;
  }
  return at;
}

/// Adds the names of one line; `open` are the sections above it.
void addNamesOfLine(std::vector<YamlEntry>& entries, std::vector<OpenSection>& open, const QString& line, int number) {
  const int column = columnOfName(line);
  if (column >= line.size() || line[column] == QLatin1Char('#')) return;
  auto entry = entryAt(line, number, column, {}, false);
  if (!entry) return;
  entry->path = joinedPath(enclosing(open, column), entry->path);
  open.push_back({column, entry->path});
  addEntry(entries, line, *entry);
}

/// Returns the entry that an issue is about; null if the text has none.
const YamlEntry* entryOf(const std::vector<YamlEntry>& entries, const ConfigIssue& issue) {
  std::string path = withoutIndexes(issue.field);
  const YamlEntry* nearest = nullptr;
  for (; !path.empty() && nearest == nullptr; path = sectionOf(path))
    for (const YamlEntry& entry : entries) {
      const bool sameLine = issue.line == 0 || entry.line == issue.line;
      if (entry.path == path && sameLine) nearest = &entry;
    }
  return nearest;
}

/// Returns whether the entry is alone in its line and has nothing below it.
bool isRemovable(const YamlEntry& entry, const QStringList& lines) {
  const QString& line = lines[entry.line - 1];
  if (columnOfName(line) != indentOf(line) || indentOf(line) != entry.key) return false;
  for (qsizetype next = entry.line; next < lines.size(); ++next)
    if (!lines[next].trimmed().isEmpty()) return indentOf(lines[next]) <= entry.key;
  return true;
}

/// Returns the names directly below a section, with the colon that follows them; those of a list of sections, too.
QStringList namesBelow(const std::string& section) {
  QStringList names;
  const std::string prefix = section.empty() ? "" : section + ".";
  for (const Field& field : configSchema()) {
    if (!field.path.starts_with(prefix)) continue;
    const std::string rest = field.path.substr(prefix.size());
    const bool isField = rest.find('.') == std::string::npos;
    const QString name = toQt(rest.substr(0, rest.find('.'))) + (isField ? QStringLiteral(": ") : QStringLiteral(":"));
    if (!names.contains(name)) names << name;
  }
  if (const Field* list = findField(section))
    for (const std::string& key : requiredKeys(*list)) names << toQt(key) + QStringLiteral(": ");
  return names;
}

QStringList valuesOf(const std::string& path, const QString& typed) {
  const Field* field = findField(path);
  if (field == nullptr) {
    const Field* list = findField(sectionOf(path));
    return list == nullptr ? QStringList() : toQt(keyChoices(*list, leafName(path)));
  }
  QStringList values;
  if (field->kind == FieldKind::Boolean) values << QStringLiteral("true") << QStringLiteral("false");
  if (field->optional && !field->unsetText.empty()) values << toQt(field->unsetText);
  values << toQt(field->choices);
  static const QRegularExpression number(QStringLiteral(R"re(^\d[\d.eE]*)re"));
  const auto digits = number.match(typed);
  for (const TimeUnit unit : field->units)
    if (digits.hasMatch()) values << digits.captured() + QString::fromUtf8(std::string(unitName(unit)));
  return values;
}

/// Names that are not yet in the section.
QStringList missingNames(const std::string& section, const std::vector<YamlEntry>& entries, int line) {
  QStringList names = namesBelow(section);
  const bool isList = findField(section) != nullptr;
  for (const YamlEntry& entry : entries)
    if (sectionOf(entry.path) == section && entry.line != line && !isList)
      names.removeIf([leaf = toQt(leafName(entry.path))](const QString& name) {
        return name.left(name.indexOf(QLatin1Char(':'))) == leaf;
      });
  return names;
}

YamlCompletion startingWith(const QStringList& items, const QString& typed) {
  YamlCompletion completion{{}, static_cast<int>(typed.size())};
  for (const QString& item : items)
    if (item.startsWith(typed, Qt::CaseInsensitive) && item.trimmed() != typed) completion.items << item;
  return completion;
}

/// Returns the section that a name at this column of the line would be in.
std::string sectionAt(const QStringList& lines, int line, int column) {
  std::vector<OpenSection> open;
  std::vector<YamlEntry> above;
  for (int i = 0; i + 1 < line && i < lines.size(); ++i) addNamesOfLine(above, open, lines[i], i + 1);
  return enclosing(open, column);
}

}  // namespace

std::vector<YamlEntry> yamlEntries(const QString& text) {
  std::vector<YamlEntry> entries;
  std::vector<OpenSection> open;
  int number = 0;
  for (const QString& line : text.split(QLatin1Char('\n'))) addNamesOfLine(entries, open, line, ++number);
  return entries;
}

YamlRange yamlRange(const QString& text, const ConfigIssue& issue) {
  const std::vector<YamlEntry> entries = yamlEntries(text);
  const YamlEntry* entry = entryOf(entries, issue);
  if (entry != nullptr && (issue.line == 0 || entry->line == issue.line)) {
    const bool isValue = findField(issue.field.substr(0, issue.field.find('['))) != nullptr;
    if (isValue && entry->value < entry->valueEnd) return {entry->line, entry->value, entry->valueEnd};
    return {entry->line, entry->key, entry->keyEnd};
  }
  const QStringList lines = text.split(QLatin1Char('\n'));
  if (issue.line < 1 || issue.line > lines.size()) return {};
  const QString& line = lines[issue.line - 1];
  return {issue.line, indentOf(line), std::max(static_cast<int>(line.size()), indentOf(line))};
}

std::vector<YamlFix> yamlFixes(const QString& text, const ConfigIssue& issue) {
  std::vector<YamlFix> fixes;
  const std::vector<YamlEntry> entries = yamlEntries(text);
  const YamlEntry* entry = entryOf(entries, issue);
  if (entry == nullptr) return fixes;
  const QStringList lines = text.split(QLatin1Char('\n'));
  const bool isKnown = findField(issue.field.substr(0, issue.field.find('['))) != nullptr;
  const bool isUnknownName = !isKnown && entry->path == withoutIndexes(issue.field);
  const auto offer = [&](int from, int to, const QString& by) {
    QStringList mended = lines;
    mended[entry->line - 1].replace(from, to - from, by);
    fixes.push_back({QObject::tr("Replace with “%1”").arg(by), mended.join(QLatin1Char('\n'))});
  };
  const bool isElsewhere = sectionOf(issue.nearest) != sectionOf(entry->path) && findField(issue.nearest) != nullptr;
  const bool isItem = issue.field.find('[') != std::string::npos;
  const QChar start = entry->value < entry->valueEnd ? lines[entry->line - 1][entry->value] : QLatin1Char('[');
  if (!issue.nearest.empty() && !isItem && isUnknownName && !isElsewhere)
    offer(entry->key, entry->keyEnd, toQt(leafName(issue.nearest)));
  else if (!issue.nearest.empty() && !isItem && !isUnknownName && start != QLatin1Char('['))
    offer(entry->value, entry->valueEnd, toQt(issue.nearest));
  if (isRemovable(*entry, lines) && (isKnown || isUnknownName)) {
    QStringList mended = lines;
    mended.removeAt(entry->line - 1);
    fixes.push_back({QObject::tr("Remove the line"), mended.join(QLatin1Char('\n'))});
  }
  return fixes;
}

YamlCompletion completeYaml(const QString& text, int line, int column) {
  const QStringList lines = text.split(QLatin1Char('\n'));
  if (line < 1 || line > lines.size()) return {};
  const QString before = lines[line - 1].left(column);
  static const QRegularExpression name(QStringLiteral(R"re(^\s*(?:- +)*([\w.]*)$)re"));
  static const QRegularExpression value(QStringLiteral(R"re(^\s*(?:- +)*([\w.]+):\s(?:.*[\s,\[])?([^\s,\[{]*)$)re"));
  static const QRegularExpression inBraces(QStringLiteral(R"re(^\s*([\w.]+):\s+\{(?:[^{}]*,)?\s*(\w*)$)re"));
  const std::vector<YamlEntry> entries = yamlEntries(text);
  const std::string section = sectionAt(lines, line, columnOfName(before));
  if (const auto match = name.match(before); match.hasMatch())
    return startingWith(missingNames(section, entries, line), match.captured(1));
  if (const auto match = inBraces.match(before); match.hasMatch())
    return startingWith(namesBelow(joinedPath(section, match.captured(1).toStdString())), match.captured(2));
  if (const auto match = value.match(before); match.hasMatch())
    return startingWith(valuesOf(joinedPath(section, match.captured(1).toStdString()), match.captured(2)),
                        match.captured(2));
  return {};
}

const Field* yamlFieldAt(const QString& text, int line) {
  for (const YamlEntry& entry : yamlEntries(text))
    if (entry.line == line)
      if (const Field* field = findField(entry.path)) return field;
  return nullptr;
}

bool losesComments(const QString& before, const QString& after) {
  const auto comments = [](const QString& text) {
    QStringList found;
    for (const QString& line : text.split(QLatin1Char('\n')))
      if (const qsizetype start = commentStart(line); start >= 0) found << line.mid(start).trimmed();
    return found;
  };
  const QStringList kept = comments(after), own = comments(before);
  return !own.isEmpty() && std::ranges::none_of(own, [&kept](const QString& each) { return kept.contains(each); });
}

}  // namespace batchwise
