#include "control/message.hpp"

#include "bootstrap/wire.hpp"

namespace weft::control {
namespace {

// Each message lists its fields once; an Encoder and a Decoder are applied to the list.
template <class Archive, class T>
void fields(Archive& all, T& m) {
  using M = std::remove_const_t<T>;
  if constexpr (std::is_same_v<M, Entry>)
    all(m.rank, m.made, m.done, m.age_ms, m.driven, m.call, m.called, m.moved, m.peers, m.waits);
  else if constexpr (std::is_same_v<M, Left>)
    all(m.processes);
  else if constexpr (std::is_same_v<M, Down>)
    all(m.process, m.fate, m.why);
  else if constexpr (std::is_same_v<M, Seek> || std::is_same_v<M, Seen>)
    all(m.process);
  else if constexpr (std::is_same_v<M, Report>)
    all(m.comm, m.rank, m.evidence, m.code, m.call, m.text, m.members);
  else if constexpr (std::is_same_v<M, Verdict>)
    all(m.comm, m.code, m.text);
  else if constexpr (std::is_same_v<M, Inquire>)
    all(m.comm, m.call, m.accuse, m.told, m.members);
  else if constexpr (std::is_same_v<M, Ask>)
    all(m.ticket, m.comm, m.call);
  else if constexpr (std::is_same_v<M, Answer>)
    all(m.ticket, m.process, m.entries);
  else if constexpr (std::is_same_v<M, Survey>)
    all(m.comm, m.verdict, m.members, m.entries, m.silent);
  else if constexpr (std::is_same_v<M, Contribution>)
    all(m.comm, m.exchange, m.rank, m.blob, m.members);
  else if constexpr (std::is_same_v<M, Gathered>)
    all(m.comm, m.exchange, m.blobs);
  else if constexpr (std::is_same_v<M, Lacking>)
    all(m.comm, m.exchange, m.ranks);
  else
    static_assert(std::is_empty_v<M>);
}

class Encoder {
 public:
  template <class... T>
  void operator()(const T&... values) {
    (put(values), ...);
  }
  std::string take() const { return writer_.get(); }

 private:
  void put(bool value) { writer_.number(u8(value)); }
  void put(Fate value) { writer_.number(u8(value)); }
  void put(Evidence value) { writer_.number(u8(value)); }
  void put(u8 value) { writer_.number(value); }
  void put(u32 value) { writer_.number(value); }
  void put(u64 value) { writer_.number(value); }
  void put(const std::string& text) { writer_.number(u32(text.size())).bytes(text); }
  void put(const std::pair<u32, std::string>& blob) { (*this)(blob.first, blob.second); }
  void put(const Entry& entry) { fields(*this, entry); }
  template <class T>
  void put(const std::vector<T>& list) {
    put(u32(list.size()));
    for (const T& each : list) put(each);
  }
  // Runs of {first, step, count}: the processes of most communicators are one or two of them.
  void put(const std::vector<u32>& numbers) {
    put(u32(numbers.size()));
    for (std::size_t i = 0; i < numbers.size();) {
      const u32 step = i + 1 < numbers.size() ? numbers[i + 1] - numbers[i] : 0;
      std::size_t end = i + 1;
      while (end < numbers.size() && numbers[end] - numbers[end - 1] == step) ++end;
      (*this)(numbers[i], step, u32(end - i));
      i = end;
    }
  }

  bootstrap::Writer writer_;
};

class Decoder {
 public:
  explicit Decoder(std::string_view bytes) : reader_(bytes) {}
  template <class... T>
  void operator()(T&... values) {
    (get(values), ...);
  }
  bool ended() const { return good_ && reader_.ended(); }

 private:
  void get(bool& value) { value = reader_.number<u8>() == 1; }
  void get(Fate& value) { value = Fate(bounded(u8(Fate::unreachable))); }
  void get(Evidence& value) { value = Evidence(bounded(u8(Evidence::timed_out))); }
  void get(u8& value) { value = reader_.number<u8>(); }
  void get(u32& value) { value = reader_.number<u32>(); }
  void get(u64& value) { value = reader_.number<u64>(); }
  void get(std::string& text) { text = reader_.bytes(reader_.number<u32>()); }
  void get(std::pair<u32, std::string>& blob) { (*this)(blob.first, blob.second); }
  void get(Entry& entry) { fields(*this, entry); }
  template <class T>
  void get(std::vector<T>& list) {
    for (u32 left = reader_.number<u32>(); left > 0 && reader_.ok() && good_; --left)
      get(list.emplace_back());
  }
  void get(std::vector<u32>& numbers) {
    const u32 size = reader_.number<u32>();
    good_ = good_ && size <= most_numbers;
    while (good_ && reader_.ok() && numbers.size() < size) {
      u32 first = 0, step = 0, count = 0;
      (*this)(first, step, count);
      good_ = count > 0 && count <= size - numbers.size();
      for (u32 i = 0; good_ && i < count; ++i) numbers.push_back(first + i * step);
    }
  }
  u8 bounded(u8 most) {
    const u8 value = reader_.number<u8>();
    good_ = good_ && value <= most;
    return std::min(value, most);
  }

  static constexpr u32 most_numbers = 1u << 22;  // far more ranks than any job has
  bootstrap::Reader reader_;
  bool good_ = true;
};

template <std::size_t I = 0>
std::optional<Message> decode_as(std::size_t index, std::string_view bytes) {
  if constexpr (I < std::variant_size_v<Message>) {
    if (index != I) return decode_as<I + 1>(index, bytes);
    std::variant_alternative_t<I, Message> message;
    Decoder decoder(bytes);
    fields(decoder, message);
    if (decoder.ended()) return Message(std::move(message));
  }
  return std::nullopt;
}

}  // namespace

const char* name_of(Fate fate) {
  switch (fate) {
    case Fate::alive: return "alive";
    case Fate::left: return "left";
    case Fate::killed: return "killed";
    case Fate::exited: return "exited";
    case Fate::frozen: return "frozen";
    case Fate::silent: return "silent";
    case Fate::unreachable: return "unreachable";
  }
  return "unknown";
}

std::string encode(const Message& message) {
  Encoder encoder;
  encoder(u8(message.index()));
  std::visit([&](const auto& m) { fields(encoder, m); }, message);
  return encoder.take();
}

std::optional<Message> decode(std::string_view bytes) {
  if (bytes.empty()) return std::nullopt;
  return decode_as(u8(bytes[0]), bytes.substr(1));
}

}  // namespace weft::control
