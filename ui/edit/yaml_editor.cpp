// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/edit/yaml_editor.h"

#include <QtCore/QMimeData>
#include <QtGui/QAction>
#include <QtGui/QContextMenuEvent>
#include <QtGui/QDropEvent>
#include <QtGui/QFontDatabase>
#include <QtGui/QKeyEvent>
#include <QtWidgets/QMenu>
#include <QtWidgets/QToolTip>
#include <algorithm>
#include <cctype>

// The headers of QScintilla use the lower-case macros of Qt, which are switched off here.
#define signals Q_SIGNALS
#define slots Q_SLOTS
#include <Qsci/qscicommandset.h>
#include <Qsci/qscilexeryaml.h>
#include <Qsci/qsciscintilla.h>
#undef signals
#undef slots

#include "ui/edit/config_form.h"
#include "ui/parts/display_text.h"
#include "ui/parts/field_labels.h"
#include "ui/parts/labels.h"
#include "ui/parts/layouts.h"

namespace batchwise {
namespace {

constexpr int kApplyPauseMs = 300;
constexpr int kHoverMs = 500;
constexpr int kIndentWidth = 2;
constexpr int kTipChars = 80;
enum Margin { kNumbers, kSymbols };
enum Symbol { kErrorSymbol, kWarningSymbol };
enum Indicator { kErrorLine = 8, kWarningLine };  // below 8: those of the lexer

/// Returns whether the window may take the key as a command, such as Ctrl+Return, before the text gets it.
bool isShortcut(const QEvent& event) {
  if (event.type() != QEvent::ShortcutOverride) return false;
  return (static_cast<const QKeyEvent&>(event).modifiers() & (Qt::ControlModifier | Qt::AltModifier)) != 0;
}

/// Keys of the window, such as Ctrl+D, and of the text size stay theirs; undo is that of the draft.
void freeKeys(QsciScintilla& text) {
  constexpr int kCtrl = Qt::ControlModifier, kAlt = Qt::AltModifier;
  const auto frees = [](int keys) {
    const int key = keys & ~static_cast<int>(Qt::KeyboardModifierMask);
    const bool isCharacter = key > Qt::Key_Space && key < Qt::Key_Escape;
    const bool isClipboard = key == Qt::Key_A || key == Qt::Key_C || key == Qt::Key_V || key == Qt::Key_X;
    return (keys & (kCtrl | kAlt)) != 0 && isCharacter && !isClipboard;
  };
  for (QsciCommand* command : text.standardCommands()->commands()) {
    if (frees(command->key())) command->setKey(0);
    if (frees(command->alternateKey())) command->setAlternateKey(0);
  }
}

}  // namespace

/// The text itself. Files dropped onto it are left to the window.
class YamlText final : public QsciScintilla {
 public:
  explicit YamlText(QWidget* parent) : QsciScintilla(parent), lexer_(new QsciLexerYAML(this)) {
    setUtf8(true);
    setLexer(lexer_);
    SendScintilla(SCI_SETUNDOCOLLECTION, 0);
    SendScintilla(SCI_SETMOUSEDWELLTIME, kHoverMs);
    SendScintilla(SCI_AUTOCSETSEPARATOR, static_cast<int>('\n'));
    SendScintilla(SCI_AUTOCSETIGNORECASE, 1);
    SendScintilla(SCI_AUTOCSETORDER, static_cast<int>(SC_ORDER_CUSTOM));
    SendScintilla(SCI_SETSCROLLWIDTHTRACKING, 1);
    SendScintilla(SCI_SETSCROLLWIDTH, 1);
    setFrameShape(NoFrame);
    setIndentationsUseTabs(false);
    setIndentationWidth(kIndentWidth);
    setTabWidth(kIndentWidth);
    setTabIndents(true);
    setBackspaceUnindents(true);
    setIndentationGuides(true);
    setCaretLineVisible(true);
    setBraceMatching(SloppyBraceMatch);
    setMarginLineNumbers(kNumbers, true);
    setMarginType(kSymbols, SymbolMargin);
    setMarginMarkerMask(kNumbers, 0);
    setMarginMarkerMask(kSymbols, 1 << kErrorSymbol | 1 << kWarningSymbol);
    freeKeys(*this);
  }

  int line() const { return cursor().first; }
  int column() const { return cursor().second; }

  /// Replaces the whole text and keeps cursor and scroll position.
  void replaceText(const QString& text) {
    const auto [line, column] = cursor();
    const int top = firstVisibleLine();
    setText(text);
    setCursorPosition(std::min(line, lines()) - 1, std::min(column, std::max(lineLength(line - 1) - 1, 0)));
    setFirstVisibleLine(top);
  }

  void setTheme(const Theme& theme) {
    setColors(theme.colors());
    QFont font = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    font.setPointSizeF(theme.bodyFont().pointSizeF());
    lexer_->setFont(font);
    setMarginsFont(font);
    fitMargins();
  }

  void fitMargins() {
    const int digits = std::max(3, static_cast<int>(QString::number(lines()).size()));
    setMarginWidth(kNumbers, QString(digits + 1, QLatin1Char('8')));
    setMarginWidth(kSymbols, textHeight(0) + 2);
  }

  /// Shows the items below the cursor; the first `typed` characters before it are replaced.
  void showItems(const QStringList& items, int typed) {
    SendScintilla(SCI_AUTOCSHOW, static_cast<unsigned long>(typed), items.join(QLatin1Char('\n')).toUtf8().constData());
  }

  /// A call tip does not wrap.
  void showTip(const QString& tip) {
    const auto fits = [](const QString& line) { return line.size() <= kTipChars; };
    SendScintilla(SCI_CALLTIPSHOW, static_cast<unsigned long>(SendScintilla(SCI_GETCURRENTPOS)),
                  brokenLines(tip, fits).join(QLatin1Char('\n')).toUtf8().constData());
  }

  void mark(const YamlRange& range, Indicator indicator) {
    if (range.line > 0 && range.line <= lines())
      fillIndicatorRange(range.line - 1, range.from, range.line - 1, std::max(range.to, range.from), indicator);
  }

  void unmark(Indicator indicator) { clearIndicatorRange(0, 0, lines() - 1, lineLength(lines() - 1), indicator); }

 protected:
  void dragEnterEvent(QDragEnterEvent* event) override {
    if (!isFile(*event)) QsciScintilla::dragEnterEvent(event);
  }
  void dragMoveEvent(QDragMoveEvent* event) override {
    if (!isFile(*event)) QsciScintilla::dragMoveEvent(event);
  }
  void dropEvent(QDropEvent* event) override {
    if (!isFile(*event)) QsciScintilla::dropEvent(event);
  }

 private:
  static bool isFile(QDropEvent& event) {
    if (event.mimeData()->hasUrls()) event.ignore();
    return event.mimeData()->hasUrls();
  }

  /// Line and column, from 1 and from 0.
  std::pair<int, int> cursor() const {
    int line = 0, column = 0;
    getCursorPosition(&line, &column);
    return {line + 1, column};
  }

  void setColors(const ThemeColors& c) {
    const std::pair<int, QColor> colors[] = {{QsciLexerYAML::Default, c.text},
                                             {QsciLexerYAML::Comment, c.muted},
                                             {QsciLexerYAML::Identifier, c.accent},
                                             {QsciLexerYAML::Keyword, c.warning},
                                             {QsciLexerYAML::Number, c.good},
                                             {QsciLexerYAML::Reference, c.warning},
                                             {QsciLexerYAML::DocumentDelimiter, c.muted},
                                             {QsciLexerYAML::TextBlockMarker, c.warning},
                                             {QsciLexerYAML::SyntaxErrorMarker, c.bad},
                                             {QsciLexerYAML::Operator, c.muted}};
    lexer_->setDefaultPaper(c.base);
    lexer_->setPaper(c.base);
    for (const auto& [style, color] : colors) lexer_->setColor(color, style);
    SendScintilla(SCI_STYLESETBACK, static_cast<unsigned long>(STYLE_DEFAULT), c.base);
    SendScintilla(SCI_STYLESETFORE, static_cast<unsigned long>(STYLE_DEFAULT), c.text);
    setCaretForegroundColor(c.text);
    setCaretLineBackgroundColor(c.window);
    setSelectionBackgroundColor(c.accent);
    setSelectionForegroundColor(c.onAccent);
    setMarginsBackgroundColor(c.window);
    setMarginsForegroundColor(c.muted);
    setIndentationGuidesForegroundColor(c.line);
    setIndentationGuidesBackgroundColor(c.line);
    setMatchedBraceForegroundColor(c.accent);
    setMatchedBraceBackgroundColor(c.window);
    setCallTipsBackgroundColor(c.raised);
    setCallTipsForegroundColor(c.text);
    setSymbols(c);
  }

  void setSymbols(const ThemeColors& c) {
    const int side = std::max(12, fontMetrics().height() - 2);
    const auto symbol = [side](const char* name, const QColor& color) {
      return iconPixmap(QString::fromLatin1(name), color, {side, side}).toImage();
    };
    markerDefine(symbol("note-error", c.bad), kErrorSymbol);
    markerDefine(symbol("note-warning", c.warning), kWarningSymbol);
    const std::pair<Indicator, QColor> marks[] = {{kErrorLine, c.bad}, {kWarningLine, c.warning}};
    for (const auto& [indicator, color] : marks) {
      indicatorDefine(SquiggleIndicator, indicator);
      setIndicatorForegroundColor(color, indicator);
      setIndicatorDrawUnder(true, indicator);
    }
  }

  QsciLexerYAML* lexer_;
};

YamlEditor::YamlEditor(ConfigDraft& draft, const Theme& theme, QWidget* parent)
    : QWidget(parent), draft_(draft), theme_(theme), text_(new YamlText(this)), status_(new ElidedLabel(this)) {
  named(text_, "yaml", tr("Configuration as YAML text"));
  text_->setAccessibleDescription(tr("Tab indents, Escape leaves the text, F8 goes to the next problem"));
  text_->installEventFilter(this);
  named(status_, "yamlStatus");
  column(this, {{text_, 1}, status_}, {{8, 0, 8, 8}, 4});
  makeActions();
  delay_.setSingleShot(true);
  delay_.setInterval(kApplyPauseMs);
  connect(text_, &QsciScintilla::textChanged, &delay_, qOverload<>(&QTimer::start));
  connect(text_, &QsciScintilla::linesChanged, this, [this] { text_->fitMargins(); });
  connect(text_, &QsciScintilla::cursorPositionChanged, this, &YamlEditor::showStatus);
  connect(text_, &QsciScintilla::SCN_CHARADDED, this, &YamlEditor::typed);
  connect(text_, &QsciScintilla::SCN_AUTOCCOMPLETED, this, &YamlEditor::showFieldHelp);
  connect(text_, &QsciScintilla::SCN_DWELLSTART, this, [this](int position, int x, int y) {
    int line = 0, column = 0;
    if (position >= 0) text_->lineIndexFromPosition(position, &line, &column);
    if (position >= 0) showHover(line + 1, text_->viewport()->mapToGlobal(QPoint(x, y)));
  });
  connect(&delay_, &QTimer::timeout, this, &YamlEditor::applyText);
  connect(&draft_, &ConfigDraft::changed, this, &YamlEditor::readDraft);
  connect(&theme_, &Theme::changed, this, &YamlEditor::retheme);
  retheme();
  readDraft();
}

QAction* YamlEditor::makeAction(const QString& text, const QKeySequence& keys, void (YamlEditor::*run)()) {
  auto* action = new QAction(text, this);
  action->setShortcut(keys);
  action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
  connect(action, &QAction::triggered, this, run);
  addAction(action);
  return action;
}

void YamlEditor::makeActions() {
  makeAction(tr("Complete"), Qt::CTRL | Qt::Key_Space, &YamlEditor::complete);
  makeAction(tr("Next problem"), Qt::Key_F8, &YamlEditor::showNextProblem);
  makeAction(tr("Previous problem"), Qt::SHIFT | Qt::Key_F8, &YamlEditor::showPreviousProblem);
}

QString YamlEditor::text() const {
  return text_->text();
}

void YamlEditor::retheme() {
  text_->setTheme(theme_);
  showMarks();
}

void YamlEditor::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  readMarks();
}

bool YamlEditor::eventFilter(QObject* watched, QEvent* event) {
  if (watched == text_ && isUndoKey(*event)) {
    applyPendingText();
    event->ignore();  // left to the window, which undoes in form and text
    return true;
  }
  if (watched == text_ && (event->type() == QEvent::FocusOut || isShortcut(*event))) applyPendingText();
  if (watched == text_ && event->type() == QEvent::ContextMenu) {
    showMenu(static_cast<QContextMenuEvent*>(event)->globalPos());
    return true;
  }
  const bool isEscape = event->type() == QEvent::KeyPress && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape;
  return (isEscape && leave()) || QWidget::eventFilter(watched, event);
}

/// Gives the keyboard focus to the next control. Returns false while a list or a tip is open, which the text closes
/// itself.
bool YamlEditor::leave() {
  if (text_->isListActive() || text_->isCallTipActive()) return false;
  focusNextChild();
  return true;
}

void YamlEditor::applyText() {
  applying_ = true;
  draft_.setYaml(text_->text());
  applying_ = false;
}

void YamlEditor::applyPendingText() {
  if (!delay_.isActive()) return;
  delay_.stop();
  applyText();
}

void YamlEditor::readDraft() {
  if (!applying_ && text_->text() != draft_.yaml()) {
    text_->replaceText(draft_.yaml());
    delay_.stop();  // this text is the draft's
  }
  if (isVisible()) readMarks();
}

void YamlEditor::setFindings(const std::vector<PreflightFinding>& findings) {
  findings_ = findings;
  if (isVisible()) readMarks();
}

void YamlEditor::addFindings() {
  for (const PreflightFinding& finding : findings_) {
    DraftMark mark{{finding.field, {}, 0, finding.text()}, finding.fatal};
    mark.issue.line = yamlRange(text(), mark.issue).line;
    marks_.push_back(std::move(mark));
  }
}

void YamlEditor::readMarks() {
  marks_ = draft_.marks();
  addFindings();
  std::ranges::stable_sort(marks_, {}, [](const DraftMark& mark) { return std::pair(mark.issue.line, !mark.isError); });
  showMarks();
}

void YamlEditor::showMarks() {
  for (const Symbol symbol : {kErrorSymbol, kWarningSymbol}) text_->markerDeleteAll(symbol);
  for (const Indicator line : {kErrorLine, kWarningLine}) text_->unmark(line);
  for (const DraftMark& mark : marks_) {
    if (mark.issue.line < 1) continue;
    text_->markerAdd(mark.issue.line - 1, mark.isError ? kErrorSymbol : kWarningSymbol);
    text_->mark(yamlRange(text(), mark.issue), mark.isError ? kErrorLine : kWarningLine);
  }
  showStatus();
}

QString YamlEditor::problemsAt(int line) const {
  QStringList texts;
  for (const DraftMark& mark : marks_)
    if (mark.issue.line == line) {
      const QString field = mark.issue.field.empty() ? QString() : toQt(mark.issue.field) + QStringLiteral(": ");
      texts << field + toQt(mark.issue.message);
    }
  return texts.join(QLatin1Char('\n'));
}

QString YamlEditor::fieldHelpAt(int line) const {
  const Field* field = yamlFieldAt(text(), line);
  if (field == nullptr) return {};
  return tr("%1: %2 Expected: %3.", "a setting, its help, a whole number of samples")
      .arg(toQt(field->path), fieldHelp(*field), toQt(field->expectation()));
}

/// Shows the problems of the cursor's line, else how many there are, else the help of its field.
void YamlEditor::showStatus() {
  const int line = text_->line();
  QString problems = problemsAt(line);
  if (problems.isEmpty() && !marks_.empty()) {
    const int first = marks_.front().issue.line;
    const QString where = first > 0 ? tr("Line %1: ").arg(first) : QString();
    problems = plural(marks_.size(), tr("%n problem, F8 goes to it. %1"), tr("%n problems, F8 goes to the next. %1"))
                   .arg(where + problemsAt(first));
  }
  const bool anyError = std::ranges::any_of(marks_, &DraftMark::isError);
  Theme::setLook(status_, problems.isEmpty() ? TextLook::Small : anyError ? TextLook::Bad : TextLook::Warning);
  QString shown = problems.isEmpty() ? fieldHelpAt(line) : problems.replace(QLatin1Char('\n'), QLatin1Char(' '));
  status_->setText(shown.isEmpty() ? tr("No problems") : shown);
}

void YamlEditor::showProblem(int direction) {
  std::vector<int> lines;
  for (const DraftMark& mark : marks_)
    if (mark.issue.line > 0) lines.push_back(mark.issue.line);
  if (lines.empty()) return;
  const auto next = std::ranges::upper_bound(lines, text_->line());
  const auto here = std::ranges::lower_bound(lines, text_->line());
  const int target = direction > 0 ? (next == lines.end() ? lines.front() : *next)
                                   : (here == lines.begin() ? lines.back() : *std::prev(here));
  const auto mark = std::ranges::find(marks_, target, [](const DraftMark& each) { return each.issue.line; });
  text_->setCursorPosition(target - 1, yamlRange(text(), mark->issue).from);
  text_->ensureLineVisible(target - 1);
  text_->setFocus(Qt::OtherFocusReason);
  showStatus();
}

std::vector<YamlFix> YamlEditor::fixesAt(int line) const {
  std::vector<YamlFix> fixes;
  for (const DraftMark& mark : marks_) {
    if (mark.issue.line != line) continue;
    for (YamlFix& fix : yamlFixes(text(), mark.issue))
      if (std::ranges::none_of(fixes, [&fix](const YamlFix& other) { return other.text == fix.text; }))
        fixes.push_back(std::move(fix));
  }
  return fixes;
}

void YamlEditor::apply(const YamlFix& fix) {
  applyPendingText();
  text_->replaceText(fix.text);
  delay_.stop();
  applyText();
}

void YamlEditor::addFixes(QMenu& menu, int line) {
  applyPendingText();
  for (const YamlFix& fix : fixesAt(line))
    connect(menu.addAction(theme_.icon(QStringLiteral("fix"), theme_.colors().accent), escapeMnemonic(fix.title)),
            &QAction::triggered, this, [this, fix] { apply(fix); });
  if (menu.isEmpty()) menu.addAction(tr("No correction known for this line"))->setEnabled(false);
}

void YamlEditor::showMenu(const QPoint& position) {
  auto* menu = new QMenu(this);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  if (!problemsAt(text_->line()).isEmpty()) {
    addFixes(*menu, text_->line());
    menu->addSeparator();
  }
  const bool selected = text_->hasSelectedText();
  const auto add = [this, menu](const QString& text, void (QsciScintilla::*run)(), bool enabled) {
    QAction* action = menu->addAction(text, text_, run);
    action->setEnabled(enabled);
  };
  add(tr("Cut"), &QsciScintilla::cut, selected);
  add(tr("Copy"), &QsciScintilla::copy, selected);
  add(tr("Paste"), &QsciScintilla::paste, true);
  menu->addAction(tr("Select all"), text_, [this] { text_->selectAll(); });
  menu->addSeparator();
  menu->addActions(actions());
  menu->popup(position);
}

/// Indents the new line, and shows what may follow the character.
void YamlEditor::typed(int character) {
  if (character == '\n') {
    const int line = text_->line() - 1;
    const bool opens = line > 0 && text_->text(line - 1).trimmed().endsWith(QLatin1Char(':'));
    const int indentation = line > 0 ? text_->indentation(line - 1) + (opens ? kIndentWidth : 0) : 0;
    text_->setIndentation(line, indentation);
    text_->setCursorPosition(line, indentation);
    return;
  }
  const bool mayStart = character == ' ' || character == '_' || (character < 128 && std::isalnum(character) != 0);
  if (mayStart && !text_->isListActive()) complete();
}

void YamlEditor::complete() {
  const YamlCompletion completion = completeYaml(text(), text_->line(), text_->column());
  if (!completion.items.isEmpty())
    text_->showItems(completion.items, completion.typed);
  else if (sender() != text_)
    showFieldHelp();  // asked for, not typed
}

void YamlEditor::showFieldHelp() {
  if (const QString help = fieldHelpAt(text_->line()); !help.isEmpty()) text_->showTip(help);
}

void YamlEditor::showHover(int line, const QPoint& position) {
  const QString problems = problemsAt(line);
  const QString tip = problems.isEmpty() ? fieldHelpAt(line) : problems;
  if (!tip.isEmpty()) QToolTip::showText(position, plainToolTip(tip), text_);
}

}  // namespace batchwise
