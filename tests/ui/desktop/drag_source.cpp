// SPDX-License-Identifier: GPL-3.0-or-later
// A window of another program from which the file named on the command line can be dragged. Prints where the mouse has
// to press, and ends with 0 once the file was dropped on a window that takes it.
#include <QtCore/QMimeData>
#include <QtCore/QTimer>
#include <QtCore/QUrl>
#include <QtGui/QDrag>
#include <QtGui/QMouseEvent>
#include <QtWidgets/QApplication>
#include <QtWidgets/QWidget>
#include <cstdio>

namespace {

constexpr QRect kPlace(1290, 780, 70, 70);  // where the window under test is not

class DragSource final : public QWidget {
 public:
  explicit DragSource(const QString& file) : file_(file) {
    setWindowFlags(Qt::FramelessWindowHint);
    setGeometry(kPlace);
  }

 protected:
  void mousePressEvent(QMouseEvent*) override {
    auto* drag = new QDrag(this);
    auto* urls = new QMimeData;
    urls->setUrls({QUrl::fromLocalFile(file_)});
    drag->setMimeData(urls);
    const bool taken = drag->exec(Qt::CopyAction) != Qt::IgnoreAction;
    // The other window asks for the data only now.
    QTimer::singleShot(1500, this, [taken] { QCoreApplication::exit(taken ? 0 : 1); });
  }
  void showEvent(QShowEvent*) override {
    QTimer::singleShot(300, this, [] {
      std::printf("%d %d\n", kPlace.center().x(), kPlace.center().y());
      std::fflush(stdout);
    });
  }

 private:
  const QString file_;
};

}  // namespace

int main(int argc, char** argv) {
  QApplication application(argc, argv);
  DragSource source(QString::fromLocal8Bit(argv[1]));
  source.show();
  return QApplication::exec();
}
