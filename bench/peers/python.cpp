#include "bench/peers/python.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bench/against/build.hpp"
#include "bench/measure/rotation.hpp"

namespace switchyard::peers {
namespace {

using Json = nlohmann::json;

constexpr std::int64_t kPage = 4096;
constexpr int kSharedDescriptor = 3; // of the child
constexpr int kPatienceMs = 120'000; // the slowest slice takes some seconds

[[noreturn]] void fail(const char *what) {
  throw std::runtime_error(fmt::format("python: {}: {}", what, std::strerror(errno)));
}

// Bytes from the lowest element to element (0, 0, 0, 0).
std::int64_t before_first(const ConstView &view) {
  return static_cast<const std::byte *>(view.data) - measure::memory_of(view).data();
}

std::int64_t page_offset(const ConstView &view) {
  return static_cast<std::int64_t>(
      reinterpret_cast<std::uintptr_t>(measure::memory_of(view).data()) % kPage);
}

// The arrays of a call, inputs first: what the child sees of it.
std::vector<const ConstView *> arrays_of(const Call &call, const ConstView *table) {
  std::vector<const ConstView *> arrays;
  for (const ConstView *in : call.in) {
    if (in != nullptr) {
      arrays.push_back(in);
    }
  }
  if (table != nullptr) {
    arrays.push_back(table);
  }
  for (const View *out : call.out) {
    if (out != nullptr) {
      arrays.push_back(out);
    }
  }
  return arrays;
}

std::size_t outputs_of(const Call &call) {
  std::size_t outputs = 0;
  for (const View *out : call.out) {
    outputs += out != nullptr ? 1 : 0;
  }
  return outputs;
}

} // namespace

// Memory that both processes map, with room for each array at any page offset.
class PythonPeers::Memory {
public:
  Memory() : descriptor_(memfd_create("switchyard-peers", MFD_CLOEXEC)) {
    if (descriptor_ < 0) {
      fail("memfd_create");
    }
  }
  ~Memory() {
    unmap();
    close(descriptor_);
  }
  Memory(const Memory &) = delete;
  Memory &operator=(const Memory &) = delete;

  [[nodiscard]] int descriptor() const { return descriptor_; }
  [[nodiscard]] std::int64_t bytes() const { return bytes_; }

  // Room for these arrays; contents are lost.
  void make_room(const std::vector<const ConstView *> &arrays) {
    unmap();
    rooms_.clear();
    bytes_ = 0;
    for (const ConstView *view : arrays) {
      rooms_.push_back(bytes_);
      const auto size = static_cast<std::int64_t>(measure::memory_of(*view).size());
      bytes_ += (size + kPage - 1) / kPage * kPage + kPage;
    }
    if (ftruncate(descriptor_, bytes_) != 0) {
      fail("ftruncate");
    }
    void *mapped = mmap(nullptr, static_cast<std::size_t>(bytes_), PROT_READ | PROT_WRITE,
                        MAP_SHARED, descriptor_, 0);
    if (mapped == MAP_FAILED) {
      fail("mmap");
    }
    data_ = static_cast<std::byte *>(mapped);
  }

  // Where the lowest byte of array `i` goes.
  [[nodiscard]] std::int64_t offset(std::size_t i, const ConstView &view) const {
    return rooms_[i] + page_offset(view);
  }

  void take(std::size_t i, const ConstView &view) {
    const std::span<const std::byte> from = measure::memory_of(view);
    std::memcpy(data_ + offset(i, view), from.data(), from.size());
  }

  // What the child left in array `i`, to the same bytes of the view.
  void give(std::size_t i, const View &view) const {
    const std::span<std::byte> to = measure::memory_of(view);
    std::memcpy(to.data(), data_ + offset(i, view), to.size());
  }

private:
  void unmap() {
    if (data_ != nullptr) {
      munmap(data_, static_cast<std::size_t>(bytes_));
      data_ = nullptr;
    }
  }

  int descriptor_;
  std::byte *data_ = nullptr;
  std::int64_t bytes_ = 0;
  std::vector<std::int64_t> rooms_;
};

// The process and its socket.
class PythonPeers::Child {
public:
  Child(const std::string &python, int shared) {
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
      fail("socketpair");
    }
    socket_ = ends[0];
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, shared, kSharedDescriptor);
    const std::string script = (against::this_build().source / "bench/peers/serve.py").string();
    std::array<std::string, 3> words{python, "-B", script}; // leaves no byte code behind
    std::array<char *, 4> arguments{words[0].data(), words[1].data(), words[2].data(), nullptr};
    const int error =
        posix_spawnp(&process_, python.c_str(), &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (error != 0) {
      close(socket_);
      throw std::runtime_error(fmt::format("{}: cannot be run: {}", python, std::strerror(error)));
    }
  }
  ~Child() {
    close(socket_); // it ends at the end of its input
    while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  Child(const Child &) = delete;
  Child &operator=(const Child &) = delete;

  // Sends a request, without waiting where it is empty, and returns the answer. Throws what the
  // child reports as "error".
  Json ask(const Json &request) {
    if (!request.empty()) {
      send_all(request.dump() + "\n");
    }
    Json answer = Json::parse(read_line());
    if (answer.contains("error")) {
      throw std::runtime_error("python: " + answer["error"].get<std::string>());
    }
    return answer;
  }

private:
  void send_all(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t sent = send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
      if (sent > 0) {
        text.remove_prefix(static_cast<std::size_t>(sent));
      } else if (errno != EINTR) {
        throw std::runtime_error("python: the process has ended");
      }
    }
  }

  std::string read_line() {
    for (;;) {
      const std::size_t end = received_.find('\n');
      if (end != std::string::npos) {
        std::string line = received_.substr(0, end);
        received_.erase(0, end + 1);
        return line;
      }
      receive();
    }
  }

  void receive() {
    pollfd waiting{socket_, POLLIN, 0};
    const int ready = poll(&waiting, 1, kPatienceMs);
    if (ready == 0) {
      throw std::runtime_error("python: no answer for two minutes");
    }
    if (ready < 0) {
      if (errno == EINTR) {
        return;
      }
      fail("poll");
    }
    std::array<char, 65536> buffer;
    const ssize_t got = recv(socket_, buffer.data(), buffer.size(), 0);
    if (got > 0) {
      received_.append(buffer.data(), static_cast<std::size_t>(got));
    } else if (got == 0 || errno != EINTR) {
      throw std::runtime_error("python: the process has ended");
    }
  }

  pid_t process_ = 0;
  int socket_ = -1;
  std::string received_;
};

PythonPeers::PythonPeers(const std::string &python)
    : memory_(std::make_unique<Memory>()),
      child_(std::make_unique<Child>(python, memory_->descriptor())) {
  const Json greeting = child_->ask({});
  for (const Json &library : greeting.at("libraries")) {
    libraries_.push_back({library.at("name"), library.at("version")});
  }
  missing_ = greeting.at("missing").get<std::vector<std::string>>();
}

PythonPeers::~PythonPeers() = default;

std::vector<Foreign::Offer> PythonPeers::open(const Variant &variant, const Call &call,
                                              const Public &known) {
  table_ = table_of(variant.name, call);
  const auto arrays = arrays_of(call, table_);
  memory_->make_room(arrays);
  Json list = Json::array();
  const std::size_t outputs = outputs_of(call);
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const ConstView &view = *arrays[i];
    // Strides of axes of length 1 may be anything.
    Extents strides = view.strides;
    for (std::size_t axis = 0; axis < strides.size(); ++axis) {
      strides[axis] = view.shape[axis] > 1 ? strides[axis] : size_of(view.dtype);
    }
    list.push_back({{"dtype", name_of(view.dtype)},
                    {"shape", view.shape},
                    {"strides", strides},
                    {"rank", view.rank},
                    {"first", before_first(view)},
                    {"output", i + outputs >= arrays.size()}});
  }
  const Json answer =
      child_->ask({{"do", "open"},
                   {"variant", variant.name},
                   {"numbers", known.numbers != nullptr ? known.numbers(call) : Numbers{}},
                   {"bytes", memory_->bytes()},
                   {"arrays", std::move(list)}});
  std::vector<Offer> offers;
  for (const Json &offer : answer.at("offers")) {
    offers.push_back({offer.at("peer"), offer.at("text")});
  }
  return offers;
}

void PythonPeers::place(const Call &call) {
  const auto arrays = arrays_of(call, table_);
  Json offsets = Json::array();
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    memory_->take(i, *arrays[i]); // outputs as well, which are poisoned
    offsets.push_back(memory_->offset(i, *arrays[i]));
  }
  child_->ask({{"do", "place"}, {"offsets", std::move(offsets)}});
}

void PythonPeers::run(std::size_t offer, const Call &call) {
  child_->ask({{"do", "run"}, {"offer", offer}});
  const auto arrays = arrays_of(call, table_);
  std::size_t i = arrays.size() - outputs_of(call); // they are the last ones
  for (const View *out : call.out) {
    if (out != nullptr) {
      memory_->give(i++, *out);
    }
  }
}

double PythonPeers::time(std::size_t offer, std::int64_t calls) {
  return child_->ask({{"do", "time"}, {"offer", offer}, {"calls", calls}}).at("ns").get<double>();
}

} // namespace switchyard::peers
