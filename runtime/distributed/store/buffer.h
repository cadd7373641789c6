// Bytes that arrive: a buffer that grows without being filled first, and without copying where the
// system can move pages.
#pragma once

#include <cstdlib>
#include <cstring>
#include <new>
#include <string_view>

namespace opweave::distributed {

class Buffer {
 public:
  Buffer() = default;
  ~Buffer() { std::free(bytes_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  std::string_view view() const { return {bytes_, size_}; }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  // Room behind the bytes, for so many more; grown() then says how many came.
  char* room(size_t more) {
    if (capacity_ - size_ < more) {
      const size_t capacity = size_ + (more > size_ ? more : size_);
      void* moved = std::realloc(bytes_, capacity);
      if (moved == nullptr) throw std::bad_alloc();
      bytes_ = static_cast<char*>(moved);
      capacity_ = capacity;
    }
    return bytes_ + size_;
  }
  size_t free_room() const { return capacity_ - size_; }
  void grown(size_t by) { size_ += by; }
  void append(std::string_view bytes) {
    if (bytes.empty()) return;
    std::memcpy(room(bytes.size()), bytes.data(), bytes.size());
    grown(bytes.size());
  }

  // Forgets the first bytes; a large buffer goes when it is empty.
  void consume(size_t bytes) {
    size_ -= bytes;
    if (size_ != 0) {
      std::memmove(bytes_, bytes_ + bytes, size_);
    } else if (capacity_ > kKept) {
      std::free(bytes_);
      bytes_ = nullptr;
      capacity_ = 0;
    }
  }

 private:
  static constexpr size_t kKept = size_t{2} << 20;

  char* bytes_ = nullptr;
  size_t size_ = 0;
  size_t capacity_ = 0;
};

}  // namespace opweave::distributed
