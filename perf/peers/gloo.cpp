// Gloo as a peer: its tcp transport, over the interface of WEFT_INTERFACE or else loopback.
//
// All-reduce has four algorithms, none the best everywhere, so each is a form; the other
// collectives have one. The two older ones
// work in place and are made for one buffer: they are kept from call to call, and out of place the
// input is copied first. Its reduce-scatter overwrites the input, so it works on a copy. Threads:
// one, and one of Gloo's own.
#include <gloo/allgather.h>
#include <gloo/allreduce.h>
#include <gloo/allreduce_halving_doubling.h>
#include <gloo/allreduce_ring_chunked.h>
#include <gloo/barrier.h>
#include <gloo/broadcast.h>
#include <gloo/reduce_scatter.h>
#include <gloo/rendezvous/context.h>
#include <gloo/transport/tcp/device.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "perf/peer.hpp"
#include "perf/peers/guard.hpp"

namespace {

using namespace weft::perf;

enum Form { bcube, ring, ring_chunked, halving_doubling, only };
constexpr const char* forms[] = {"bcube", "ring", "ring_chunked", "halving_doubling",
                                 "only",  nullptr};

Guard guard;

// How Gloo's ranks tell each other where they listen: every rank sets one key, once, before it
// asks for others, so that setting is an all-gather.
class Store : public gloo::rendezvous::Store {
 public:
  explicit Store(const PeerJob& job) : job_(job) {}

  void set(const std::string& key, const std::vector<char>& data) override {
    const auto keys = gathered({key.begin(), key.end()});
    const auto values = gathered(data);
    for (std::size_t rank = 0; rank < keys.size(); ++rank)
      all_[std::string(keys[rank].begin(), keys[rank].end())] = values[rank];
  }
  std::vector<char> get(const std::string& key) override { return all_.at(key); }
  void wait(const std::vector<std::string>&) override {}

 private:
  // Of each rank its bytes, however many.
  std::vector<std::vector<char>> gathered(std::vector<char> mine) const {
    const std::uint64_t size = mine.size();
    std::vector<std::uint64_t> sizes(job_.ranks);
    succeed(weft_all_gather(&size, sizes.data(), 1, weft_uint64, job_.comm, nullptr));
    const std::uint64_t most = *std::ranges::max_element(sizes);
    mine.resize(most);
    std::vector<char> all(most * job_.ranks);
    succeed(weft_all_gather(mine.data(), all.data(), most, weft_uint8, job_.comm, nullptr));
    std::vector<std::vector<char>> parts;
    for (int rank = 0; rank < job_.ranks; ++rank) {
      const char* const from = all.data() + rank * most;
      parts.emplace_back(from, from + sizes[rank]);
    }
    return parts;
  }
  static void succeed(weft_result_t result) {
    if (result != weft_ok) throw std::runtime_error(weft_last_error());
  }

  const PeerJob& job_;
  std::map<std::string, std::vector<char>> all_;
};

class Gloo {
 public:
  explicit Gloo(const PeerJob& job)
      : context_(std::make_shared<gloo::rendezvous::Context>(job.rank, job.ranks)) {
    gloo::transport::tcp::attr address;
    const char* const interfaces = std::getenv("WEFT_INTERFACE");
    const std::string names = interfaces && *interfaces ? interfaces : "lo";
    address.iface = names.substr(0, names.find(','));
    auto device = gloo::transport::tcp::CreateDevice(address);
    Store store(job);
    context_->connectFullMesh(store, device);
  }

  void run(const PeerCall& call) {
    const std::size_t bytes = call.count * weft_datatype_bytes(call.type);
    switch (call.kind) {
      case weft_collective_all_reduce: return all_reduce(call);
      case weft_collective_reduce_scatter: return reduce_scatter(call);
      case weft_collective_all_gather: return all_gather(call, bytes);
      case weft_collective_broadcast: return broadcast(call, bytes);
      default: return barrier();
    }
  }

 private:
  template <class Options>
  Options numbered() {
    Options options(context_);
    options.setTag(++tag_);
    return options;
  }

  void barrier() {
    auto options = numbered<gloo::BarrierOptions>();
    gloo::barrier(options);
  }

  void all_reduce(const PeerCall& call) {
    auto* const to = static_cast<float*>(call.receive);
    const auto form = static_cast<Form>(call.form == own_choice ? int(bcube) : call.form);
    if (form == ring_chunked || form == halving_doubling) {
      if (call.send != call.receive) std::memcpy(to, call.send, call.count * sizeof(float));
      return prepared(form, to, call.count).run();
    }
    using Options = gloo::AllreduceOptions;
    auto options = numbered<Options>();
    // Gloo does not write through this pointer.
    if (call.send != call.receive)
      options.setInput(const_cast<float*>(static_cast<const float*>(call.send)), call.count);
    options.setOutput(to, call.count);
    void (*const sum)(void*, const void*, const void*, std::size_t) = &gloo::sum<float>;
    options.setReduceFunction(sum);
    options.setAlgorithm(form == ring ? Options::Algorithm::RING : Options::Algorithm::BCUBE);
    gloo::allreduce(options);
  }

  gloo::Algorithm& prepared(Form form, float* buffer, std::size_t count) {
    constexpr std::size_t most = 64;  // a sweep meets any number of buffers
    const auto known = prepared_.find({form, buffer});
    if (known != prepared_.end() && prepared_count_ == count) return *known->second;
    if (prepared_count_ != count || prepared_.size() == most) forget();
    prepared_count_ = count;
    auto& made = prepared_[{form, buffer}];
    const std::vector<float*> buffers = {buffer};
    if (form == ring_chunked)
      made = std::make_unique<gloo::AllreduceRingChunked<float>>(context_, buffers, int(count));
    else
      made = std::make_unique<gloo::AllreduceHalvingDoubling<float>>(context_, buffers, int(count));
    return *made;
  }

  // No rank takes its buffers away while another still sends to them.
  void forget() {
    barrier();
    prepared_.clear();
    scatter_.reset();
  }

  void reduce_scatter(const PeerCall& call) {
    const std::size_t all = call.count * context_->size;
    if (!scatter_ || input_.size() != all) {
      forget();
      input_.resize(all);
      scatter_ = std::make_unique<gloo::ReduceScatterHalvingDoubling<float>>(
          context_, std::vector<float*>{input_.data()}, int(all),
          std::vector<int>(context_->size, int(call.count)));
    }
    std::memcpy(input_.data(), call.send, all * sizeof(float));
    scatter_->run();
    std::memcpy(call.receive, input_.data(), call.count * sizeof(float));
  }

  void all_gather(const PeerCall& call, std::size_t bytes) {
    auto* const to = static_cast<char*>(call.receive);
    auto options = numbered<gloo::AllgatherOptions>();
    if (call.send != to + context_->rank * bytes)
      options.setInput(const_cast<char*>(static_cast<const char*>(call.send)), bytes);
    options.setOutput(to, bytes * context_->size);
    gloo::allgather(options);
  }

  void broadcast(const PeerCall& call, std::size_t bytes) {
    auto options = numbered<gloo::BroadcastOptions>();
    if (context_->rank == call.root && call.send != call.receive)
      options.setInput(const_cast<char*>(static_cast<const char*>(call.send)), bytes);
    options.setOutput(static_cast<char*>(call.receive), bytes);
    options.setRoot(call.root);
    gloo::broadcast(options);
  }

  std::shared_ptr<gloo::rendezvous::Context> context_;
  std::uint32_t tag_ = 0;
  std::vector<float> input_;  // of reduce_scatter
  std::unique_ptr<gloo::Algorithm> scatter_;
  std::map<std::pair<Form, float*>, std::unique_ptr<gloo::Algorithm>> prepared_;
  std::size_t prepared_count_ = 0;  // of all prepared
};

std::unique_ptr<Gloo> library;

bool start(const PeerJob* job) {
  return guard.run([&] { library = std::make_unique<Gloo>(*job); });
}

// What comparisons are about: sums of floats, and what only moves.
bool supports(weft_collective_t kind, weft_datatype_t type, weft_op_t op) {
  if (kind > weft_collective_barrier) return false;
  const bool reduces = kind == weft_collective_all_reduce || kind == weft_collective_reduce_scatter;
  return !reduces || (type == weft_float32 && op == weft_sum);
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const Peer* weft_perf_peer() {
  static const Peer peer = {
      .version = peer_version,
      .name = "gloo",
      .uneven = false,
      .forms = forms,
      .start = start,
      .see = nullptr,
      .product = [] { return "Gloo over tcp"; },
      .supports = supports,
      .fits = [](weft_collective_t kind, int form,
                 std::size_t) { return (kind == weft_collective_all_reduce) == (form != only); },
      .call = [](const PeerCall* call) { return guard.run([&] { library->run(*call); }); },
      .finish = [] { library.reset(); },
      .error = [] { return guard.error(); }};
  return &peer;
}
