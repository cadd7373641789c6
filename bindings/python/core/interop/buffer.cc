// Tensors over the memory of objects with Python's buffer protocol.
#include <bit>
#include <string_view>

#include "bindings/python/core/functions/handwritten.h"
#include "bindings/python/core/interop/exchange.h"

namespace opweave::python {
namespace {

// A memoryview of the object, which keeps its memory where it is: a bytearray cannot grow
// meanwhile.
PyPtr view_of(PyObject* object) {
  OW_CHECK_VALUE(PyObject_CheckBuffer(object) != 0,
                 "object does not implement Python buffer protocol.");
  PyPtr view = PyPtr::steal(check(PyMemoryView_FromObject(object)));
  OW_CHECK(PyBuffer_IsContiguous(PyMemoryView_GET_BUFFER(view.get()), 'C') != 0,
           "could not retrieve a contiguous buffer from the given object (non-contiguous buffers "
           "are not supported)");
  return view;
}

void warn_read_only(const Py_buffer& buffer) {
  if (buffer.readonly == 0) return;
  check(PyErr_WarnEx(PyExc_UserWarning,
                     "The given buffer is not writable, and tensors cannot be read-only: writing "
                     "to the tensor is undefined behaviour. Copy the buffer first if the tensor is "
                     "to be written to.",
                     1));
}

// How many elements there are from `offset` bytes on, of which `count` are asked for; all if it is
// negative.
int64_t checked_count(int64_t bytes, int64_t item, int64_t count, int64_t offset) {
  OW_CHECK_VALUE(bytes > 0 && count != 0, "both buffer length (", bytes, ") and count (", count,
                 ") must not be 0");
  OW_CHECK_VALUE(offset >= 0 && offset < bytes, "offset (", offset,
                 " bytes) must be non-negative and no greater than buffer length (", bytes,
                 " bytes) minus 1");
  const int64_t rest = bytes - offset;
  if (count < 0) {
    OW_CHECK_VALUE(rest % item == 0, "buffer length (", rest, " bytes) after offset (", offset,
                   " bytes) must be a multiple of element size (", item, ")");
    return rest / item;
  }
  OW_CHECK_VALUE(count <= rest / item, "requested buffer length (", count, " * ", item,
                 " bytes) after offset (", offset,
                 " bytes) must not be greater than actual buffer length (", bytes, " bytes)");
  return count;
}

// What `struct` calls the element, without the mark of the byte order, which must be ours.
char element_code(std::string_view format) {
  constexpr bool kLittle = std::endian::native == std::endian::little;
  OW_CHECK_VALUE(!kLittle || (!format.starts_with('>') && !format.starts_with('!')),
                 "buffer has non-native byte order (format '", format,
                 "'), which cannot be read without a copy. Convert the buffer to native byte order "
                 "first (with NumPy, arr.byteswap().view(arr.dtype.newbyteorder())).");
  constexpr std::string_view kMarks = "@=<";
  if (format.size() == 2 && kMarks.find(format[0]) != std::string_view::npos)
    format.remove_prefix(1);
  return format.size() == 1 ? format[0] : '\0';
}

// NumPy's letter of what the elements are; a space for what no dtype is.
char numpy_kind(char code) {
  constexpr std::string_view kCodes = "?bhilqnBHILQNefd", kKinds = "biiiiiiuuuuuufff";
  const size_t place = code != '\0' ? kCodes.find(code) : std::string_view::npos;
  return place == std::string_view::npos ? ' ' : kKinds[place];
}

ScalarType dtype_of(const Py_buffer& buffer) {
  const std::string_view format = buffer.format != nullptr ? buffer.format : "B";
  const char kind = numpy_kind(element_code(format));
  for (int i = 0; i < kNumScalarTypes; ++i) {
    if (kDtypes[i].numpy == kind && kDtypes[i].bytes == buffer.itemsize)
      return static_cast<ScalarType>(i);
  }
  OW_THROW(ErrorKind::kValue, "could not infer a dtype from buffer format '", format,
           "'. Please pass an explicit dtype=.");
}

}  // namespace

Tensor tensor_from_buffer(PyObject* object, std::optional<ScalarType> wanted, int64_t count,
                          int64_t offset) {
  PyPtr view = view_of(object);
  const Py_buffer& buffer = *PyMemoryView_GET_BUFFER(view.get());
  const ScalarType dtype = wanted ? *wanted : dtype_of(buffer);
  const int64_t item = static_cast<int64_t>(element_size(dtype));
  const int64_t n = checked_count(buffer.len, item, count, offset);
  warn_read_only(buffer);
  char* data = static_cast<char*>(buffer.buf) + offset;
  Storage storage = StorageImpl::wrap(data, static_cast<size_t>(n * item), host_device(),
                                      [owner = view.get()](void*) { drop_reference(owner); });
  view.release();  // the storage's
  return Tensor(make_intrusive<TensorImpl>(std::move(storage), dtype, host_device(), IntList{n}));
}

}  // namespace opweave::python
