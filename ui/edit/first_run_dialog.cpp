// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/edit/first_run_dialog.h"

#include <QtCore/QDir>
#include <QtCore/QFileInfo>
#include <QtCore/QLocale>
#include <QtCore/QMimeData>
#include <QtCore/QSignalBlocker>
#include <QtCore/QUrl>
#include <QtGui/QDropEvent>
#include <QtWidgets/QComboBox>
#include <QtWidgets/QDialogButtonBox>
#include <QtWidgets/QFileDialog>
#include <QtWidgets/QGridLayout>
#include <QtWidgets/QLabel>
#include <QtWidgets/QMenu>
#include <QtWidgets/QPlainTextEdit>
#include <QtWidgets/QProgressBar>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QScrollArea>
#include <QtWidgets/QScrollBar>
#include <QtWidgets/QSpinBox>
#include <QtWidgets/QStackedWidget>
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/format.h"
#include "core/config/model_presets.h"
#include "core/config/run_stages.h"
#include "ui/bridge/studio_settings.h"
#include "ui/parts/dialogs.h"
#include "ui/parts/display_text.h"
#include "ui/parts/labels.h"
#include "ui/parts/layouts.h"

namespace batchwise {
namespace {

enum Page { EmptyPage, ReadingPage, FoundPage };

QString reasonText(FirstConfig::Limit limit) {
  switch (limit) {
    case FirstConfig::Limit::Text: return FirstRunDialog::tr("A larger model would need more text.");
    case FirstConfig::Limit::Time:
      return FirstRunDialog::tr("With a larger model, one epoch would take more than an hour on this machine.");
    case FirstConfig::Limit::Memory:
      return FirstRunDialog::tr("A larger model would need more than half of the memory of this machine.");
    case FirstConfig::Limit::Given: break;
  }
  return {};
}

QString epochsText(const FirstConfig& first) {
  using Limit = FirstConfig::EpochLimit;
  const QString epochs = plural(first.epochs, FirstRunDialog::tr("%n epoch"), FirstRunDialog::tr("%n epochs"));
  switch (first.epochLimit) {
    case Limit::Size: return FirstRunDialog::tr("%1: enough for a model of this size.").arg(epochs);
    case Limit::Time: return FirstRunDialog::tr("%1: more would take over an hour on this machine.").arg(epochs);
    case Limit::Most:
      return FirstRunDialog::tr("%1: a model of this size wants more text, not more passes.").arg(epochs);
    case Limit::Recipe:
    case Limit::Given: break;
  }
  return {};
}

/// Returns what becomes of the text before it is trained on.
QString preparationText(const TrainConfig& config) {
  const QString vocabulary = FirstRunDialog::tr("A vocabulary of %1 pieces is trained on your text.")
                                 .arg(integerText(config.tokenizer.trainVocabSize));
  const double heldOut = config.data.holdout.value_or(0.0);
  if (heldOut <= 0) return vocabulary;
  return vocabulary + QLatin1Char(' ') +
         FirstRunDialog::tr("%1 % of the documents are held out for evaluation.")
             .arg(valueText(100 * heldOut, ValueFormat::Plain));
}

QString presetText(ModelPreset preset) {
  const PresetSizes sizes = sizesOf(ModelFamily::Bert, preset).value();
  return FirstRunDialog::tr("%1: %2 layers, width %3")
      .arg(toQt(std::string(choiceName(preset))))
      .arg(sizes.layers)
      .arg(sizes.hiddenSize);
}

QString shapeText(const ModelShape& shape, std::int64_t vocabulary) {
  return FirstRunDialog::tr("%1, %2 layers of width %3: %4 parameters, a vocabulary of %5 tokens", "%1: a model family")
      .arg(toQt(std::string(choiceName(shape.family))), integerText(shape.layers), integerText(shape.hiddenSize),
           toQt(formatCount(static_cast<double>(shape.parameterCount()))), integerText(vocabulary));
}

QString pathsText(const QStringList& paths) {
  const QString first = QDir::toNativeSeparators(paths.front());
  const int others = static_cast<int>(paths.size()) - 1;
  return others == 0 ? first : FirstRunDialog::tr("%1 and %2 more").arg(first, QString::number(others));
}

QStringList localFiles(const QMimeData& data) {
  QStringList files;
  for (const QUrl& url : data.urls())
    if (url.isLocalFile()) files << url.toLocalFile();
  return files;
}

/// Returns an estimated duration: in whole seconds below a minute, in whole minutes above.
QString aboutDuration(double seconds) {
  constexpr double kMinute = 60;
  return toQt(formatDuration(seconds < kMinute ? std::ceil(seconds) : std::round(seconds / kMinute) * kMinute));
}

QString documentsText(std::int64_t documents) {
  return documents == 1 ? FirstRunDialog::tr("1 document")
                        : FirstRunDialog::tr("%1 documents").arg(integerText(documents));
}

QString joined(const std::vector<std::string>& messages) {
  QStringList lines;
  for (const std::string& message : messages) lines << sentenceCase(toQt(message));
  return lines.join(QLatin1Char('\n'));
}

/// Adds a line of a title and its field: the title stands in the middle of a control, and beside the first line of
/// anything taller. (QFormLayout gives labels that wrap their text a wrong height.)
QLabel* addLine(QGridLayout& form, const QString& title, Cell field) {
  const int line = form.count() == 0 ? 0 : form.rowCount();
  const bool tall =
      qobject_cast<QLabel*>(field.widget) != nullptr || qobject_cast<QPlainTextEdit*>(field.widget) != nullptr;
  QLabel* label = plainLabel(form.parentWidget(), TextLook::Body, title);
  label->setBuddy(field.widget);
  form.addWidget(label, line, 0, tall || field.layout != nullptr ? Qt::AlignTop : Qt::AlignVCenter);
  if (field.layout != nullptr) form.addLayout(field.layout, line, 1);
  if (field.widget != nullptr) form.addWidget(field.widget, line, 1);
  return label;
}

/// Sets the text, and hides an empty label, so that it takes no space in a form.
void setOrHide(QLabel& label, const QString& text) {
  label.setText(text);
  label.setVisible(!text.isEmpty());
}

}  // namespace

FirstRunDialog::FirstRunDialog(FirstRunPresenter& presenter, StudioSettings& settings, Start start,
                               std::vector<NamedRun> runs, const QString& workspace, QWidget* parent)
    : QDialog(parent), presenter_(presenter), settings_(settings), start_(start), runs_(std::move(runs)) {
  setAttribute(Qt::WA_DeleteOnClose);
  setAcceptDrops(true);
  setObjectName(QStringLiteral("firstRun"));
  setWindowTitle(start == Start::NewModel ? tr("Train on my text") : tr("Continue a model"));
  presenter_.clear(settings.newRunDevices());
  pages_ = new QStackedWidget(this);
  auto* empty = textLabel(
      pages_, TextLook::Muted,
      (start == Start::NewModel ? QString() : tr("Choose a model above, and your text.") + QLatin1Char('\n')) +
          tr("Choose files or a folder, or drop them here. Plain text, Markdown, JSON lines and CSV "
             "are read, also compressed (.gz, .zst); Parquet, Arrow and MDS, too."));
  empty->setAlignment(Qt::AlignCenter);
  pages_->addWidget(empty);
  pages_->addWidget(makeReading());
  pages_->addWidget(makeFound(workspace));
  problem_ = named(textLabel(this, TextLook::Bad), "firstProblem");
  auto* layout = column(this, {makeText(), {pages_, 1}, problem_, makeButtons()});
  if (start == Start::TrainedModel) {
    layout->insertWidget(0, makeModel());
    layout->insertWidget(2, makeGeneral());
  }
  setTabOrderFromAbove();
  connect(&presenter_, &FirstRunPresenter::changed, this, &FirstRunDialog::showState);
  connect(&presenter_, &FirstRunPresenter::progressChanged, this,
          [this] { progress_->setValue(presenter_.percent()); });
  const int lines = start == Start::NewModel ? 34 : 46;  // all facts without scrolling
  resizeWithinScreen(*this, {fontMetrics().averageCharWidth() * 100, fontMetrics().height() * lines});
  findChild<QWidget*>(start == Start::NewModel ? QStringLiteral("textFiles") : QStringLiteral("modelFolder"))
      ->setFocus();
  showState();
}

FirstRunDialog::~FirstRunDialog() {
  presenter_.disconnect(this);
  presenter_.clear();
}

QWidget* FirstRunDialog::makeModel() {
  auto* box = new QWidget(this);
  modelName_ = new ElidedLabel(box);
  auto* folder =
      named(new QPushButton(tr("Model folder…"), box), "modelFolder", {},
            tr("A folder with config.json, model.safetensors or pytorch_model.bin, and a tokenizer.json or vocab.txt"));
  auto* run = named(new QPushButton(tr("Checkpoint of a run"), box), "modelRun", {},
                    tr("Writes the newest checkpoint of the run as a model folder below %1")
                        .arg(QDir::toNativeSeparators(FirstRunPresenter::modelsFolder())));
  auto* menu = new QMenu(run);
  for (const NamedRun& each : runs_)
    connect(menu->addAction(escapeMnemonic(
                fontMetrics().elidedText(each.name, Qt::ElideMiddle, fontMetrics().averageCharWidth() * 60))),
            &QAction::triggered, this, [this, each] { presenter_.chooseRun(each.id, each.name); });
  run->setMenu(menu);
  run->setEnabled(!runs_.empty());
  modelFacts_ = textLabel(box);
  modelProblems_ = named(textLabel(box, TextLook::Bad), "modelProblems");
  column(box, {row(nullptr, {makeTitle(box, tr("Model")), {modelName_, 1}, folder, run}), modelFacts_, modelProblems_},
         {{0, 0, 0, 0}, -1});
  connect(folder, &QPushButton::clicked, this, [this] {
    const QString chosen = askForFolder(*this, settings_, QStringLiteral("model"), tr("Model folder"));
    if (!chosen.isEmpty()) presenter_.chooseModel(chosen);
  });
  return box;
}

/// Makes a title that is as wide as the labels of the form below it.
QLabel* FirstRunDialog::makeTitle(QWidget* parent, const QString& text) const {
  QLabel* title = plainLabel(parent, TextLook::Body, text);
  title->setMinimumWidth(titleWidth_);
  return title;
}

QWidget* FirstRunDialog::makeText() {
  auto* box = new QWidget(this);
  textName_ = new ElidedLabel(box);
  auto* folder = named(new QPushButton(tr("Folder…"), box), "textFolder", tr("Folder with text"));
  auto* files = named(new QPushButton(tr("Files…"), box), "textFiles", tr("Files with text"));
  row(box, {makeTitle(box, tr("Text")), {textName_, 1}, folder, files}, {{0, 0, 0, 0}, -1});
  askByButtons(folder, files, QStringLiteral("text"), &FirstRunPresenter::chooseText);
  return box;
}

QWidget* FirstRunDialog::makeGeneral() {
  auto* box = new QWidget(this);
  generalName_ = new ElidedLabel(box);
  const QString what = tr("General text, so that the model forgets less and you see how much");
  auto* folder = named(new QPushButton(tr("Folder…"), box), "generalFolder", tr("Folder with general text"), what);
  auto* files = named(new QPushButton(tr("Files…"), box), "generalFiles", tr("Files with general text"), what);
  noGeneral_ = named(new QPushButton(tr("None"), box), "generalNone", tr("No general text"));
  generalFacts_ = named(textLabel(box, TextLook::Small), "generalFacts");
  generalProblems_ = named(textLabel(box, TextLook::Bad), "generalProblems");
  column(box,
         {row(nullptr, {makeTitle(box, tr("General text")), {generalName_, 1}, noGeneral_, folder, files}),
          generalFacts_, generalProblems_},
         {{0, 0, 0, 0}, 4});
  askByButtons(folder, files, QStringLiteral("generalText"), &FirstRunPresenter::chooseGeneral);
  connect(noGeneral_, &QPushButton::clicked, this, [this] { presenter_.chooseGeneral({}); });
  return box;
}

QWidget* FirstRunDialog::makeReading() {
  auto* page = new QWidget(pages_);
  progress_ = named(new QProgressBar(page), "firstProgress", tr("Reading the files"));
  auto* cancel = named(new QPushButton(tr("Cancel reading"), page), "firstCancelReading");
  connect(cancel, &QPushButton::clicked, &presenter_, &FirstRunPresenter::cancel);
  column(page, {stretch(1), plainLabel(page, TextLook::Body, tr("Reading the files…")),
                row(nullptr, {{progress_, 1}, cancel}), stretch(1)});
  return page;
}

QWidget* FirstRunDialog::makeFound(const QString& workspace) {
  auto* area = new QScrollArea(pages_);
  auto* page = new QWidget(area);
  auto* form = new QGridLayout;
  form->setColumnStretch(1, 1);
  warnings_ = named(textLabel(page, TextLook::Warning), "firstWarnings");
  column(page, {warnings_, form, stretch(1)}, {{0, 0, 0, 0}, -1});
  addTextFacts(*form);
  addRun(*form, workspace);
  for (int line = 0; line < form->rowCount(); ++line)
    if (const QLayoutItem* title = form->itemAtPosition(line, 0))
      titleWidth_ = std::max(titleWidth_, title->sizeHint().width());
  fillScrollArea(*area, page);
  return area;
}

void FirstRunDialog::addTextFacts(QGridLayout& form) {
  QWidget* page = form.parentWidget();
  found_ = named(textLabel(page), "firstFound");
  format_ = named(new QComboBox(page), "firstFormat", tr("How documents are separated"));
  format_->addItem(tr("by blank lines"), static_cast<int>(TextFormat::Text));
  format_->addItem(tr("one per line"), static_cast<int>(TextFormat::Lines));
  format_->addItem(tr("one JSON object per line"), static_cast<int>(TextFormat::Jsonl));
  format_->addItem(tr("one row of a CSV file"), static_cast<int>(TextFormat::Csv));
  format_->addItem(tr("one row of a Parquet or Arrow file"), static_cast<int>(TextFormat::Parquet));
  format_->addItem(tr("one sample of an MDS shard"), static_cast<int>(TextFormat::Mds));
  field_ = named(new QComboBox(page), "firstField", tr("Field or column with the text"));
  field_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  lengths_ = textLabel(page);
  language_ = textLabel(page);
  sample_ = named(new QPlainTextEdit(page), "firstSample", tr("First lines"));
  sample_->setReadOnly(true);
  sample_->setTabChangesFocus(true);
  sample_->setLineWrapMode(QPlainTextEdit::NoWrap);
  const int border = 2 * (sample_->frameWidth() + static_cast<int>(sample_->document()->documentMargin()));
  sample_->setFixedHeight(6 * sample_->fontMetrics().lineSpacing() + border +
                          sample_->horizontalScrollBar()->sizeHint().height());
  addLine(form, tr("Found"), found_);
  addLine(form, tr("Documents"), format_);
  fieldLabel_ = addLine(form, tr("Text field"), field_);
  addLine(form, tr("Lengths"), lengths_);
  addLine(form, tr("Language"), language_);
  addLine(form, tr("First lines"), sample_);
  connect(format_, &QComboBox::activated, this,
          [this] { presenter_.setFormat(static_cast<TextFormat>(format_->currentData().toInt())); });
  connect(field_, &QComboBox::activated, this, [this] { presenter_.setTextField(field_->currentText()); });
}

void FirstRunDialog::addRun(QGridLayout& form, const QString& workspace) {
  QWidget* page = form.parentWidget();
  epochs_ = named(new QSpinBox(page), "firstEpochs", tr("Length of the run"),
                  tr("Passes through the text, or minutes of training"));
  lengthUnit_ = named(new QComboBox(page), "firstLengthUnit", tr("Unit of the length"));
  lengthUnit_->addItems({tr("epochs"), tr("minutes of training")});
  epochs_->setRange(1, 10'000);
  epochs_->setKeyboardTracking(false);
  cost_ = named(textLabel(page), "firstCost");
  basis_ = textLabel(page, TextLook::Small);
  auto* folder = new ElidedLabel(page);
  folder->setText(QDir::toNativeSeparators(workspace));
  if (start_ == Start::NewModel)
    addSize(form);
  else
    addRecipe(form);
  addLine(form, tr("Length"), row(nullptr, {{epochs_, 1}, lengthUnit_}, {{0, 0, 0, 0}, 8}))->setBuddy(epochs_);
  addLine(form, tr("Estimate"), column(nullptr, {cost_, basis_}, {{0, 0, 0, 0}, 4}));
  addLine(form, tr("Workspace"), folder);
  connect(epochs_, &QSpinBox::valueChanged, this, &FirstRunDialog::setLength);
  connect(lengthUnit_, &QComboBox::activated, this, [this](int unit) {
    constexpr int kMinutes = 20;
    {
      const QSignalBlocker quiet(epochs_);
      epochs_->setValue(unit == 0 ? 1 : kMinutes);
    }
    setLength();
  });
}

void FirstRunDialog::setLength() {
  replans_ = replans_ || presenter_.plan();
  const int length = epochs_->value();
  lengthUnit_->currentIndex() == 0 ? presenter_.setEpochs(length) : presenter_.setMinutes(length);
}

void FirstRunDialog::addSize(QGridLayout& form) {
  QWidget* page = form.parentWidget();
  size_ = named(new QComboBox(page), "firstSize", tr("Model size"));
  for (const ModelPreset preset :
       {ModelPreset::Tiny, ModelPreset::Mini, ModelPreset::Small, ModelPreset::Base, ModelPreset::Large})
    size_->addItem(presetText(preset), static_cast<int>(preset));
  reason_ = textLabel(page, TextLook::Small);
  addLine(form, tr("Model"), size_);
  form.addWidget(reason_, form.rowCount(), 1);
  connect(size_, &QComboBox::activated, this,
          [this] { presenter_.setPreset(static_cast<ModelPreset>(size_->currentData().toInt())); });
}

void FirstRunDialog::addRecipe(QGridLayout& form) {
  QWidget* page = form.parentWidget();
  recipe_ = named(textLabel(page), "firstRecipe");
  evaluated_ = named(textLabel(page), "firstEvaluated");
  auto* sources = named(new QPushButton(tr("Sources of this recipe…"), page), "firstRecipeHelp", {},
                        tr("Opens the manual at the recipes, with their sources"));
  connect(sources, &QPushButton::clicked, this, &FirstRunDialog::helpRequested);
  addLine(form, tr("Recipe"), column(nullptr, {recipe_, {sources, 0, Qt::AlignLeft}}, {{0, 0, 0, 0}, 4}));
  addLine(form, tr("Evaluated"), evaluated_);
}

QWidget* FirstRunDialog::makeButtons() {
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
  edit_ = named(buttons->addButton(tr("Edit the settings…"), QDialogButtonBox::ActionRole), "firstEdit");
  launch_ = named(new QPushButton(tr("Launch"), this), "firstLaunch");
  Theme::setPrimary(launch_);  // before the box computes its size
  buttons->addButton(launch_, QDialogButtonBox::AcceptRole);
  launch_->setDefault(true);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  connect(this, &QDialog::rejected, &presenter_, &FirstRunPresenter::cancel);  // at once: nothing is accepted any more
  connect(&presenter_, &FirstRunPresenter::accepted, this, &FirstRunDialog::finish);
  connect(edit_, &QPushButton::clicked, this, [this] { request(Request::Edit); });
  connect(launch_, &QPushButton::clicked, this, [this] { request(Request::Launch); });
  return buttons;
}

/// Waits for the plan: a click that ends the editing of the epochs comes before it.
void FirstRunDialog::request(Request what) {
  requested_ = what;
  if (presenter_.plan()) answerRequest();
}

void FirstRunDialog::answerRequest() {
  const Request what = std::exchange(requested_, Request::None);
  if (what == Request::None || !isVisible()) return;
  if (!(what == Request::Launch ? launch_ : edit_)->isEnabled()) return;  // the plan shows why not
  answered_ = what;
  presenter_.accept();  // if it cannot, the general text shows why
}

void FirstRunDialog::finish(const LoadedConfig& config) {
  if (answered_ == Request::Launch)
    Q_EMIT launchRequested(config);
  else
    Q_EMIT editRequested(config);
  accept();
}

/// From the model to the epochs, then to Launch.
void FirstRunDialog::setTabOrderFromAbove() {
  QWidget* last = nullptr;
  for (const char* name :
       {"modelFolder", "modelRun", "textFolder", "textFiles", "generalNone", "generalFolder", "generalFiles",
        "firstCancelReading", "firstFormat", "firstField", "firstSample", "firstSize", "firstRecipeHelp", "firstEpochs",
        "firstLengthUnit", "firstLaunch", "firstEdit"}) {
    auto* next = findChild<QWidget*>(QLatin1String(name));
    if (last != nullptr && next != nullptr) setTabOrder(last, next);
    if (next != nullptr) last = next;
  }
}

/// Lets the buttons ask for text. `purpose`: which folder is remembered.
void FirstRunDialog::askByButtons(QPushButton* folder, QPushButton* files, const QString& purpose,
                                  void (FirstRunPresenter::*choose)(const QStringList&)) {
  connect(folder, &QPushButton::clicked, this, [this, folder, purpose, choose] {
    const QString chosen = askForFolder(*this, settings_, purpose, folder->accessibleName());
    if (!chosen.isEmpty()) (presenter_.*choose)({chosen});
  });
  connect(files, &QPushButton::clicked, this, [this, files, purpose, choose] {
    const QStringList chosen =
        QFileDialog::getOpenFileNames(this, files->accessibleName(), settings_.folder(purpose),
                                      tr("Text (*.txt *.text *.md *.raw *.tokens *.jsonl *.ndjson *.csv *.tsv *.gz "
                                         "*.zst *.parquet *.pq *.arrow *.feather *.mds *.zstd);;All files (*)"));
    if (chosen.isEmpty()) return;
    settings_.setFolder(purpose, QFileInfo(chosen.front()).absolutePath());
    (presenter_.*choose)(chosen);
  });
}

void FirstRunDialog::dragEnterEvent(QDragEnterEvent* event) {
  if (!localFiles(*event->mimeData()).isEmpty()) event->acceptProposedAction();
}

void FirstRunDialog::dropEvent(QDropEvent* event) {
  event->acceptProposedAction();
  presenter_.chooseText(localFiles(*event->mimeData()));
}

QString FirstRunDialog::problem() const {
  if (!presenter_.problem().isEmpty()) return presenter_.problem();
  const auto& plan = presenter_.plan();
  if (!plan || plan->findings.empty() || !plan->findings.front().fatal) return {};
  return sentenceCase(toQt(plan->findings.front().text()));
}

void FirstRunDialog::showState() {
  const QStringList& paths = presenter_.paths();
  textName_->setText(paths.isEmpty() ? QString() : pathsText(paths));
  const auto& text = presenter_.text();
  pages_->setCurrentIndex(text ? FoundPage : presenter_.reading() && !paths.isEmpty() ? ReadingPage : EmptyPage);
  progress_->setValue(presenter_.percent());
  if (start_ == Start::TrainedModel) {
    showModel();
    showGeneral();
  }
  if (text) showText(*text);
  if (presenter_.plan()) showPlan(*presenter_.plan());
  const QString why = problem();
  setOrHide(*problem_, why);
  const bool hasModel = start_ == Start::NewModel || presenter_.model();
  replans_ = replans_ && !presenter_.plan() && text && !presenter_.reading() && why.isEmpty();
  const bool planned = (presenter_.plan() || replans_) && !presenter_.accepting();
  const bool ready = planned && why.isEmpty() && hasModel;
  launch_->setEnabled(ready);
  edit_->setEnabled(planned && hasModel);
  const QString blocked = why.isEmpty() ? presenter_.generalProblem() : why;
  launch_->setToolTip(ready                ? QString()
                      : !blocked.isEmpty() ? plainToolTip(blocked)
                      : !hasModel          ? tr("Choose a model")
                      : paths.isEmpty()    ? tr("Choose text")
                                           : tr("The run is being planned"));
  if (!replans_) answerRequest();
}

void FirstRunDialog::showModel() {
  const auto& model = presenter_.model();
  modelName_->setText(model ? QDir::toNativeSeparators(toQt(model->folder.string())) : QString());
  QStringList facts;
  if (model && model->shape) facts << shapeText(*model->shape, model->vocabularySize);
  if (model && !model->notes.empty()) facts << joined(model->notes);
  setOrHide(*modelFacts_, facts.join(QLatin1Char('\n')));
  setOrHide(*modelProblems_, model ? joined(model->problems) : QString());
}

void FirstRunDialog::showGeneral() {
  const QStringList& paths = presenter_.generalPaths();
  noGeneral_->setVisible(!paths.isEmpty());
  generalName_->setText(paths.isEmpty() ? tr("None: forgetting is neither limited nor measured") : pathsText(paths));
  const GeneralText* drawn = presenter_.general();
  QString facts;
  if (drawn && drawn->trainDocuments > 0 && presenter_.text()) {
    const TextSurvey& text = *presenter_.text();
    const double own = static_cast<double>(text.textBytes) * (1.0 - firstHoldout(text));
    const double share = static_cast<double>(drawn->trainBytes) / (own + static_cast<double>(drawn->trainBytes));
    facts = tr("Beside your text, %1 for training (%2 % of all) and %3 for evaluation")
                .arg(documentsText(drawn->trainDocuments), valueText(100 * share, ValueFormat::Plain),
                     documentsText(drawn->evalDocuments));
  } else if (drawn) {
    facts = tr("%1 for evaluation, none for training").arg(documentsText(drawn->evalDocuments));
  } else if (!paths.isEmpty() && presenter_.generalProblem().isEmpty()) {
    facts = presenter_.text() ? tr("Reading the general text…") : tr("Read as soon as your text is known");
  }
  setOrHide(*generalFacts_, facts);
  const QString& why = presenter_.generalProblem();
  setOrHide(*generalProblems_, drawn && why.isEmpty() ? joined(drawn->warnings) : why);
}

void FirstRunDialog::showText(const TextSurvey& text) {
  const QString files = plural(text.files, tr("%n file"), tr("%n files"));
  QStringList found{files, documentsText(text.documents),
                    tr("%1 words").arg(toQt(formatCount(static_cast<double>(text.words)))),
                    toQt(formatBytes(text.fileBytes))};
  if (text.readShare < 1)
    found << tr("estimated: %1 % were read").arg(valueText(100 * text.readShare, ValueFormat::Plain));
  found_->setText(found.join(QStringLiteral(" · ")));
  format_->setCurrentIndex(format_->findData(static_cast<int>(text.format)));
  {
    const QSignalBlocker quiet(field_);
    field_->clear();
    for (const std::string& field : text.fields) field_->addItem(toQt(field));
    field_->setCurrentText(toQt(text.textField));
  }
  fieldLabel_->setVisible(namesTextField(text.format));
  field_->setVisible(namesTextField(text.format));
  lengths_->setText(
      tr("Half of the documents have at most %1 words, 95 % at most %2 (about %3 tokens)")
          .arg(integerText(text.medianWords), integerText(text.longWords), integerText(text.tokensOf(text.longWords))));
  language_->setText(text.language
                         ? tr("probably %1").arg(QLocale::languageToString(QLocale(toQt(*text.language)).language()))
                         : tr("Not sure"));
  sample_->setPlainText(toQt(text.sample).join(QLatin1Char('\n')));
  setOrHide(*warnings_, joined(text.warnings));
}

void FirstRunDialog::showPlan(const FirstRunPlan& plan) {
  if (start_ == Start::NewModel)
    showSize(plan);
  else
    showRecipe(plan.first.config);
  const QSignalBlocker quiet(epochs_);
  lengthUnit_->setCurrentIndex(plan.minutes ? 1 : 0);
  epochs_->setValue(static_cast<int>(plan.minutes.value_or(plan.first.epochs)));
  QStringList cost;
  if (plan.cost)
    cost << tr("about %1").arg(aboutDuration(plan.cost->seconds))
         << tr("about %1 tokens").arg(toQt(formatCount(plan.cost->tokens)));
  if (plan.memoryBytes) cost << tr("needs about %1 of memory per device").arg(toQt(formatBytes(*plan.memoryBytes)));
  cost_->setText(cost.isEmpty() ? tr("not known before the launch") : cost.join(QStringLiteral(" · ")));
  QString basis;
  if (plan.cost && plan.cost->speed)
    basis = tr("From the speed of run %1.").arg(toQt(plan.cost->speed->run));
  else if (plan.cost)
    basis = tr("Rough estimate from the number of operations: no such model has been trained here yet.");
  setOrHide(*basis_, basis);
}

void FirstRunDialog::showSize(const FirstRunPlan& plan) {
  size_->setCurrentIndex(size_->findData(static_cast<int>(plan.first.config.model.preset)));
  const QString parameters = plan.parameters > 0
                                 ? tr("%1 parameters.").arg(toQt(formatCount(static_cast<double>(plan.parameters))))
                                 : QString();
  QStringList texts{parameters, reasonText(plan.first.limit), plan.minutes ? QString() : epochsText(plan.first),
                    preparationText(plan.first.config)};
  texts.removeAll(QString());
  setOrHide(*reason_, texts.join(QLatin1Char(' ')));
}

void FirstRunDialog::showRecipe(const TrainConfig& config) {
  const auto percent = [](double share) { return valueText(100 * share, ValueFormat::Plain); };
  const std::vector<RunStage> stages = runStages(config);
  const double constant = stages.front().until.number();
  const double warmup = config.scheduler.tWarmup ? config.scheduler.tWarmup->number() : 0.0;
  recipe_->setText(
      tr("%1 % of the run at a constant rate of %2, reached over the first %3 %, with %4 % of the tokens masked; then "
         "the rate falls to zero (1 - sqrt of the time), with %5 % masked. The tokenizer of the model is kept.")
          .arg(percent(constant), toQt(formatRate(config.optimizer.lr)), percent(warmup),
               percent(stages.front().config.data.mlmProbability), percent(stages.back().config.data.mlmProbability)));
  QStringList sets;
  if (const double heldOut = config.data.holdout.value_or(0.0); heldOut > 0)
    sets << tr("your text (%1 % of the documents, held out)").arg(percent(heldOut));
  if (!config.eval.sets.empty()) sets << tr("general text");
  evaluated_->setText(sets.isEmpty() ? tr("Nothing: the text has too few documents to hold some out")
                                     : tr("Before, during and after the run: %1").arg(sets.join(tr(" and "))));
}

}  // namespace batchwise
