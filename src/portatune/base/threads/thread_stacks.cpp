#include "portatune/base/threads/thread_stacks.h"

#include <dirent.h>
#include <execinfo.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace portatune {
namespace {

constexpr int kMaxFrames = 64;
constexpr time_t kToAnswer_s = 1;

int target = -1;
sem_t answered;

// A signal handler. write_thread_stacks() has already loaded the libraries of backtrace(), so this only reads the
// stack.
extern "C" void write_own_stack(int) {
  const int error_number = errno;
  std::array<void*, kMaxFrames> frames;
  backtrace_symbols_fd(frames.data(), backtrace(frames.data(), kMaxFrames), target);
  sem_post(&answered);
  errno = error_number;
}

std::vector<pid_t> threads() {
  std::vector<pid_t> numbers;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir("/proc/self/task"), &closedir);
  while (const dirent* entry = folder ? readdir(folder.get()) : nullptr) {
    if (const int number = std::atoi(entry->d_name); number > 0) numbers.push_back(number);
  }
  return numbers;
}

std::string name_of(pid_t thread) {
  std::string name;
  std::getline(std::ifstream("/proc/self/task/" + std::to_string(thread) + "/comm"), name);
  return name;
}

void put(std::string_view text) {
  if (write(target, text.data(), text.size()) < 0) {
    // A failure has no receiver.
  }
}

bool has_answered() {
  timespec end{};
  clock_gettime(CLOCK_REALTIME, &end);
  end.tv_sec += kToAnswer_s;
  int result;
  do {
    result = sem_timedwait(&answered, &end);
  } while (result != 0 && errno == EINTR);
  return result == 0;
}

}  // namespace

void write_thread_stacks(int descriptor) {
  target = descriptor;
  std::array<void*, 1> one;
  backtrace(one.data(), 1);
  sem_init(&answered, 0, 0);
  struct sigaction action = {};
  action.sa_handler = write_own_stack;
  action.sa_flags = SA_RESTART;
  const int number = SIGRTMAX - 1;  // used neither by the C library nor by debuggers
  sigaction(number, &action, nullptr);
  for (const pid_t thread : threads()) {
    put("thread " + std::to_string(thread) + " (" + name_of(thread) + ")\n");
    const bool is_asked = syscall(SYS_tgkill, getpid(), thread, number) == 0;
    if (!is_asked || !has_answered()) put("  does not answer\n");
  }
}

}  // namespace portatune
