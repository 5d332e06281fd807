// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "study/worker_pool.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace trammel::study {
namespace {

using Clock = std::chrono::steady_clock;
using Work = std::function<std::string(std::uint64_t)>;

bool write_all(int file, const char* bytes, std::size_t count) {
  while (count > 0) {
    const ssize_t n = write(file, bytes, count);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes += n;
    count -= static_cast<std::size_t>(n);
  }
  return true;
}
bool read_all(int file, char* bytes, std::size_t count) {
  while (count > 0) {
    const ssize_t n = read(file, bytes, count);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes += n;
    count -= static_cast<std::size_t>(n);
  }
  return true;
}

// What goes back: 1 byte (0 answered, 1 threw), 8 bytes length, the text.
constexpr std::size_t head_bytes = 9;

// Pipes of other workers, and the journal: its lock would outlive a parent that is killed, until its workers are gone too.
void close_all_but(int a, int b) {
  const int low = std::min(a, b), high = std::max(a, b);
  constexpr int first = 3;  // behind standard error
  if (low > first) close_range(first, static_cast<unsigned>(low - 1), 0);
  if (high > low + 1) close_range(static_cast<unsigned>(std::max(low + 1, first)), static_cast<unsigned>(high - 1), 0);
  close_range(static_cast<unsigned>(std::max(high + 1, first)), ~0U, 0);
}

[[noreturn]] void be_a_worker(int from, int to, pid_t parent, const Work& work) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(0);  // it was gone before
  // What a terminal or a scheduler tells the whole group is for the parent to answer.
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) std::signal(signal, SIG_IGN);
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  std::uint64_t task = 0;
  while (read_all(from, reinterpret_cast<char*>(&task), sizeof task)) {
    std::string answer;
    char threw = 0;
    try {
      answer = work(task);
    } catch (const std::exception& wrong) {
      threw = 1, answer = wrong.what();
    } catch (...) {
      threw = 1, answer = "something unknown was thrown";
    }
    std::array<char, head_bytes> head{};
    const std::uint64_t size = answer.size();
    head[0] = threw;
    std::memcpy(head.data() + 1, &size, sizeof size);
    if (!write_all(to, head.data(), head.size()) || !write_all(to, answer.data(), answer.size())) break;
  }
  _exit(0);
}

class Worker {
 public:
  explicit Worker(const Work& work) {
    std::array<int, 2> down{}, up{};
    if (pipe(down.data()) != 0) throw std::runtime_error("no pipe for a worker");
    if (pipe(up.data()) != 0) throw std::runtime_error("no pipe for a worker");
    const pid_t parent = getpid();
    pid_ = fork();
    if (pid_ < 0) throw std::runtime_error("a worker cannot be started: " + std::string(std::strerror(errno)));
    if (pid_ == 0) {
      close_all_but(down[0], up[1]);
      be_a_worker(down[0], up[1], parent, work);
    }
    close(down[0]), close(up[1]);
    to_ = down[1], from_ = up[0];
  }
  ~Worker() {
    close(to_), close(from_);
    if (reaped_) return;
    kill(pid_, SIGKILL);
    int status = 0;
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  bool idle() const { return !busy_; }
  int from() const { return from_; }
  std::uint64_t task() const { return task_; }
  Clock::time_point deadline() const { return deadline_; }

  // False where it is gone already.
  bool give(std::uint64_t task, double time_limit) {
    task_ = task, busy_ = true, buffer_.clear();
    deadline_ =
        time_limit > 0
            ? Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(time_limit))
            : Clock::time_point::max();
    return write_all(to_, reinterpret_cast<const char*>(&task), sizeof task);
  }

  enum class Heard { part, all, end };
  Heard hear(WorkDone& done) {
    std::array<char, 65536> bytes{};
    const ssize_t n = read(from_, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) return Heard::part;
    if (n <= 0) return Heard::end;
    buffer_.append(bytes.data(), static_cast<std::size_t>(n));
    if (buffer_.size() < head_bytes) return Heard::part;
    std::uint64_t size = 0;
    std::memcpy(&size, buffer_.data() + 1, sizeof size);
    if (buffer_.size() < head_bytes + size) return Heard::part;
    done.task = task_;
    done.how = buffer_[0] == 0 ? WorkDone::How::answered : WorkDone::How::threw;
    done.answer = buffer_.substr(head_bytes);
    busy_ = false;
    return Heard::all;
  }

  // How its process ended.
  void reap(WorkDone& done) {
    int status = 0;
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    reaped_ = true;
    done.task = task_;
    done.how = WorkDone::How::killed;
    done.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    done.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  }

 private:
  pid_t pid_ = -1;
  int to_ = -1, from_ = -1;
  bool busy_ = false, reaped_ = false;
  std::uint64_t task_ = 0;
  Clock::time_point deadline_;
  std::string buffer_;
};

class Pool {
 public:
  Pool(std::span<const std::uint64_t> tasks, const PoolOptions& options, const Work& work,
       const std::function<bool(const WorkDone&)>& done)
      : tasks_(tasks), options_(options), work_(work), done_(done) {
    workers_.resize(std::min(static_cast<std::size_t>(std::max(1, options.jobs)), tasks.size()));
  }

  void run() {
    while (!stopped_ && (next_ < tasks_.size() || running_ > 0)) {
      hand_out();
      listen();
      end_the_late();
    }
  }

 private:
  void hand_out() {
    for (auto& worker : workers_) {
      if (next_ == tasks_.size()) return;
      if (worker && !worker->idle()) continue;
      if (!worker) worker = std::make_unique<Worker>(work_);
      if (!worker->give(tasks_[next_], options_.time_limit)) {  // it died between two tasks
        worker.reset();
        worker = std::make_unique<Worker>(work_);
        worker->give(tasks_[next_], options_.time_limit);
      }
      ++next_;
      ++running_;
    }
  }

  void listen() {
    std::vector<pollfd> ears;
    std::vector<std::size_t> whose;
    Clock::time_point first = Clock::time_point::max();
    for (std::size_t w = 0; w < workers_.size(); ++w) {
      if (!workers_[w] || workers_[w]->idle()) continue;
      ears.push_back({workers_[w]->from(), POLLIN, 0});
      whose.push_back(w);
      first = std::min(first, workers_[w]->deadline());
    }
    if (ears.empty()) return;
    constexpr int longest = 1000;  // ms
    int wait = longest;
    if (first != Clock::time_point::max()) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(first - Clock::now()).count();
      wait = static_cast<int>(std::clamp<long>(left, 0, longest));
    }
    if (poll(ears.data(), ears.size(), wait) <= 0) return;
    for (std::size_t k = 0; k < ears.size() && !stopped_; ++k) {
      if (ears[k].revents != 0) take(workers_[whose[k]]);
    }
  }

  void take(std::unique_ptr<Worker>& worker) {
    WorkDone done;
    switch (worker->hear(done)) {
      case Worker::Heard::part:
        return;
      case Worker::Heard::all:
        break;
      case Worker::Heard::end:
        worker->reap(done);
        worker.reset();
        // A scheduler that ends a job kills all of its processes, this one perhaps a moment later: then the task was not to blame, and
        // nothing must be told of it.
        if (done.signal == SIGKILL) std::this_thread::sleep_for(std::chrono::milliseconds(300));
    }
    hand_over(done);
  }

  void end_the_late() {
    const Clock::time_point now = Clock::now();
    for (auto& worker : workers_) {
      if (stopped_ || !worker || worker->idle() || worker->deadline() > now) continue;
      WorkDone done;
      done.task = worker->task();
      done.how = WorkDone::How::timed_out;
      worker.reset();
      hand_over(done);
    }
  }

  void hand_over(const WorkDone& done) {
    --running_;
    stopped_ = !done_(done);
  }

  std::span<const std::uint64_t> tasks_;
  PoolOptions options_;
  const Work& work_;
  const std::function<bool(const WorkDone&)>& done_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::size_t next_ = 0, running_ = 0;
  bool stopped_ = false;
};

// A worker that is gone must not take this process along when it is written to.
class WithoutPipeSignal {
 public:
  WithoutPipeSignal() : before_(std::signal(SIGPIPE, SIG_IGN)) {}
  ~WithoutPipeSignal() { std::signal(SIGPIPE, before_); }
  WithoutPipeSignal(const WithoutPipeSignal&) = delete;
  WithoutPipeSignal& operator=(const WithoutPipeSignal&) = delete;

 private:
  void (*before_)(int);
};

}  // namespace

void run_pool(std::span<const std::uint64_t> tasks, const PoolOptions& options, const Work& work,
              const std::function<bool(const WorkDone&)>& done) {
  const WithoutPipeSignal quiet;
  Pool(tasks, options, work, done).run();
}

}  // namespace trammel::study
