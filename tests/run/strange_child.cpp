// SPDX-License-Identifier: GPL-3.0-or-later
// A program in the place of the trainer: strange_child BEHAVIOR. It reads the request as the real one does.
#include <signal.h>
#include <unistd.h>

#include <iostream>
#include <iterator>
#include <mutex>

#include "core/run/run_controller.h"
#include "core/run/trainer.h"
#include "core/store/recording/run_writer.h"
#include "core/store/workspace.h"
#include "tests/run/controller_test_support.h"

namespace batchwise {
namespace {

class LineSink final : public EventSink {
 public:
  void publish(const RunEvent& event) override {
    const std::scoped_lock lock(mutex_);
    std::cout << eventToLine(event) << std::endl;
  }

 private:
  std::mutex mutex_;
};

void say(const RunEvent& event) {
  std::cout << eventToLine(event) << std::endl;
}

// A run in the store, begun by this process, which has told one row of it.
class StoredRun {
 public:
  explicit StoredRun(const LaunchRequest& request) : workspace_(*Workspace::open(request.workspace)) {
    NewRun run;
    run.name = "strange";
    run.configYaml = request.config.yaml;
    id_ = *workspace_->createRun(run);
    writer_ = *RunWriter::open(workspace_, id_, {});
    tell(RunStarted{id_, "strange", 0, {}, 10});
    MetricsRow row;
    row.at.batch = 7;
    tell(row);
    if (!writer_->flush().ok()) _exit(99);
  }
  void tell(const RunEvent& event) {
    writer_->publish(event);
    say(event);
  }
  RunWriter& writer() { return *writer_; }

 private:
  std::shared_ptr<Workspace> workspace_;
  std::string id_;
  std::unique_ptr<RunWriter> writer_;
};

int obey(const LaunchRequest& request) {
  LineSink sink;
  const auto controller = makeThreadRunController(sink, []() -> Result<std::shared_ptr<Trainer>> {
    return std::shared_ptr<Trainer>(std::make_shared<test::ObedientTrainer>());
  });
  if (!controller->start(request).ok()) return 1;
  return controller->wait().ok() ? 0 : 1;
}

int finishUnheard(StoredRun& run) {
  close(STDOUT_FILENO);
  close(STDERR_FILENO);
  RunFinished finished;
  finished.reason = "max_duration reached";
  finished.at.batch = 9;
  run.tell(finished);
  return run.writer().flush().ok() ? 0 : 1;
}

int talkNonsense() {
  say(RunStarted{"abc", "nonsense", 0, {}, 10});
  std::cout << "Warning: something\n\0\xff\xfe{\n"
            << std::string(3u << 20, '[') << "\n{\"event\":\"metrics\"}\n"
            << "{\"event\":\"note\",\"level\":\"info\",\"text\":7}\n\n"
            << std::string(3u << 20, 'x') << std::endl;
  say(RunNote{NoteLevel::Info, "still here", {}});
  say(RunFinished{RunStatus::Finished, "done", {}, {}});
  say(RunFinished{RunStatus::Failed, "a second end", {}, {}});
  say(RunNote{NoteLevel::Info, "after the end", {}});
  return 0;
}

int behave(const std::string& behavior, const LaunchRequest& request) {
  if (behavior == "obey") return obey(request);
  if (behavior == "nonsense") return talkNonsense();
  if (behavior == "refuse") {
    std::cerr << "first line\nbatchwise: no such device\n";
    return 2;
  }
  StoredRun run(request);
  if (behavior == "finish-unheard") return finishUnheard(run);
  if (behavior == "kill") kill(getpid(), SIGKILL);
  if (behavior == "crash") abort();
  if (behavior == "exit") _exit(7);
  pause();
  return 0;
}

}  // namespace
}  // namespace batchwise

int main(int, char** argv) {
  const std::string text{std::istreambuf_iterator<char>(std::cin), {}};
  const auto request = batchwise::requestFromText(text);
  return request.ok() ? batchwise::behave(argv[1], *request) : 98;
}
