// Executes the instructions of a pickle.
#include "bindings/python/core/pickling/machine.h"

#include <cstring>

#include "bindings/python/core/objects/errors.h"
#include "bindings/python/core/objects/interpreted.h"

namespace opweave::python::pickling {

void refuse(std::string_view message) {
  const PyPtr module = PyPtr::steal(check(PyImport_ImportModule("pickle")));
  const PyPtr error = PyPtr::steal(check(PyObject_GetAttrString(module.get(), "UnpicklingError")));
  const PyPtr text = PyPtr::steal(
      check(PyUnicode_FromStringAndSize(message.data(), static_cast<Py_ssize_t>(message.size()))));
  PyErr_SetObject(error.get(), text.get());
  throw_python_exception();
}

namespace {

Py_ssize_t length(std::string_view bytes) { return static_cast<Py_ssize_t>(bytes.size()); }

PyObject* unicode(std::string_view bytes) {
  return PyUnicode_DecodeUTF8(bytes.data(), length(bytes), "surrogatepass");
}

PyObject* long_of(std::string_view bytes) {
  return _PyLong_FromByteArray(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(),
                               /*little_endian=*/1, /*is_signed=*/1);
}

// Larger ones are hashed anew each time that they are a key, from one end to the other.
bool is_small_int(PyObject* key) {
  if (!PyLong_CheckExact(key)) return false;
  int overflow = 0;
  PyLong_AsLongLongAndOverflow(key, &overflow);
  return overflow == 0;
}

// What has a hash that costs no more than its length, once, whoever wrote the file.
bool is_plain_key(PyObject* key) {
  return PyUnicode_CheckExact(key) || is_small_int(key) || PyBytes_CheckExact(key) ||
         PyFloat_CheckExact(key) || PyBool_Check(key) || key == Py_None;
}

}  // namespace

Machine::Machine(std::string_view pickle, PyObject* policy, const char* encoding)
    : reader_(pickle), policy_(PyPtr::borrow(policy)), encoding_(encoding) {}

// ---- the stack ----------------------------------------------------------------------------------
void Machine::push(PyObject* owned) { stack_.push_back(PyPtr::steal(check(owned))); }

// What lies below the last mark is not this instruction's.
void Machine::need(size_t objects) const {
  const size_t floor = marks_.empty() ? 0 : marks_.back();
  if (stack_.size() < floor + objects) refuse("its stack is empty");
}

PyPtr Machine::pop() {
  need(1);
  PyPtr object = std::move(stack_.back());
  stack_.pop_back();
  return object;
}

PyObject* Machine::top() const {
  need(1);
  return stack_.back().get();
}

size_t Machine::pop_mark() {
  if (marks_.empty()) refuse("it has no mark where one is needed");
  const size_t mark = marks_.back();
  marks_.pop_back();
  return mark;
}

PyPtr Machine::pop_tuple(size_t first) {
  PyPtr tuple = PyPtr::steal(check(PyTuple_New(static_cast<Py_ssize_t>(stack_.size() - first))));
  for (size_t i = first; i < stack_.size(); ++i) {
    PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i - first), stack_[i].release());
  }
  drop(first);
  return tuple;
}

void Machine::push_tuple(size_t first) { stack_.push_back(pop_tuple(first)); }

// ---- the memo -----------------------------------------------------------------------------------
void Machine::put(int64_t index) {
  // A writer counts: an index beyond the bytes of the file is made up, to have a huge memo made.
  if (static_cast<size_t>(index) > reader_.size()) {
    refuse(str("it keeps an object under number ", index, ", more than it has bytes"));
  }
  PyPtr object = PyPtr::borrow(top());
  if (static_cast<size_t>(index) >= memo_.size()) memo_.resize(static_cast<size_t>(index) + 1);
  memo_[static_cast<size_t>(index)] = std::move(object);
  ++memoized_;
}

void Machine::get(int64_t index) {
  const auto i = static_cast<size_t>(index);
  if (i >= memo_.size() || !memo_[i]) refuse(str("it has kept no object under number ", index));
  stack_.push_back(memo_[i]);
}

// ---- what the policy decides --------------------------------------------------------------------
PyPtr Machine::ask(const char* method, PyObject* first, PyObject* second) {
  const PyPtr name = PyPtr::steal(check(PyUnicode_InternFromString(method)));
  return PyPtr::steal(check(
      interpreted(PyObject_CallMethodObjArgs, policy_.get(), name.get(), first, second, nullptr)));
}

void Machine::check_key(PyObject* key) {
  if (!is_plain_key(key)) ask("check_key", key);
}

PyPtr Machine::text(std::string_view bytes) const {
  if (std::strcmp(encoding_, "bytes") == 0) {
    return PyPtr::steal(check(PyBytes_FromStringAndSize(bytes.data(), length(bytes))));
  }
  return PyPtr::steal(check(PyUnicode_Decode(bytes.data(), length(bytes), encoding_, "strict")));
}

// ---- containers ---------------------------------------------------------------------------------
void Machine::append(size_t first) {
  if (first == 0 || !PyList_CheckExact(stack_[first - 1].get())) {
    refuse("it appends to something that is not a list");
  }
  for (size_t i = first; i < stack_.size(); ++i) {
    check(PyList_Append(stack_[first - 1].get(), stack_[i].get()));
  }
  drop(first);
}

void Machine::set_items(size_t first) {
  if (first == 0 || !PyDict_Check(stack_[first - 1].get())) {
    refuse("it sets items of something that is not a dict");
  }
  if ((stack_.size() - first) % 2 != 0) refuse("it sets a key without a value");
  PyObject* dict = stack_[first - 1].get();
  for (size_t i = first; i < stack_.size(); i += 2) {
    check_key(stack_[i].get());
    check(PyObject_SetItem(dict, stack_[i].get(), stack_[i + 1].get()));
  }
  drop(first);
}

void Machine::add_items(PyObject* set, size_t first) {
  for (size_t i = first; i < stack_.size(); ++i) {
    check_key(stack_[i].get());
    check(PySet_Add(set, stack_[i].get()));
  }
  drop(first);
}

void Machine::push_global() {
  const PyPtr name = pop(), module = pop();
  if (!PyUnicode_Check(name.get()) || !PyUnicode_Check(module.get())) {
    refuse("it asks for a class whose name is not a string");
  }
  stack_.push_back(ask("find_class", module.get(), name.get()));
}

// ---- instructions -------------------------------------------------------------------------------
void Machine::execute_value(const Instruction& i) {
  switch (i.opcode) {
    case Opcode::kNone:
      return push(Py_NewRef(Py_None));
    case Opcode::kTrue:
      return push(Py_NewRef(Py_True));
    case Opcode::kFalse:
      return push(Py_NewRef(Py_False));
    case Opcode::kInt1:
    case Opcode::kInt2:
    case Opcode::kInt4:
      return push(PyLong_FromLongLong(i.number));
    case Opcode::kLong1:
    case Opcode::kLong4:
      return push(long_of(i.bytes));
    case Opcode::kFloat:
      return push(PyFloat_FromDouble(i.real));
    case Opcode::kString1:
    case Opcode::kString4:
      return stack_.push_back(text(i.bytes));
    case Opcode::kUnicode1:
    case Opcode::kUnicode4:
    case Opcode::kUnicode8:
      return push(unicode(i.bytes));
    case Opcode::kBytes1:
    case Opcode::kBytes4:
    case Opcode::kBytes8:
      return push(PyBytes_FromStringAndSize(i.bytes.data(), length(i.bytes)));
    case Opcode::kBytearray8:
      return push(PyByteArray_FromStringAndSize(i.bytes.data(), length(i.bytes)));
    default:
      return execute_container(i);
  }
}

void Machine::execute_container(const Instruction& i) {
  switch (i.opcode) {
    case Opcode::kEmptyList:
      return push(PyList_New(0));
    case Opcode::kEmptyDict:
      return push(PyDict_New());
    case Opcode::kEmptySet:
      return push(PySet_New(nullptr));
    case Opcode::kEmptyTuple:
      return push(PyTuple_New(0));
    case Opcode::kTuple:
      return push_tuple(pop_mark());
    case Opcode::kTuple1:
    case Opcode::kTuple2:
    case Opcode::kTuple3: {
      const size_t n = static_cast<size_t>(i.opcode) - static_cast<size_t>(Opcode::kTuple1) + 1;
      need(n);
      return push_tuple(stack_.size() - n);
    }
    case Opcode::kAppend:
      need(1);
      return append(stack_.size() - 1);
    case Opcode::kAppends:
      return append(pop_mark());
    case Opcode::kSetItem:
      need(2);
      return set_items(stack_.size() - 2);
    case Opcode::kSetItems:
      return set_items(pop_mark());
    case Opcode::kAddItems: {
      const size_t first = pop_mark();
      if (first == 0 || !PySet_Check(stack_[first - 1].get())) {
        refuse("it adds items to something that is not a set");
      }
      return add_items(PyPtr(stack_[first - 1]).get(), first);
    }
    case Opcode::kFrozenset: {
      const PyPtr items = PyPtr::steal(check(PyFrozenSet_New(nullptr)));
      add_items(items.get(), pop_mark());
      return stack_.push_back(items);
    }
    default:
      return execute_object(i);
  }
}

void Machine::execute_object(const Instruction& i) {
  switch (i.opcode) {
    case Opcode::kGlobal:
      push(unicode(i.bytes));
      push(unicode(i.second));
      return push_global();
    case Opcode::kStackGlobal:
      return push_global();
    case Opcode::kPersistentId:
      return stack_.push_back(ask("persistent_load", pop().get()));
    case Opcode::kReduce:
    case Opcode::kNewObject: {
      const PyPtr arguments = pop(), called = pop();
      if (!PyTuple_Check(arguments.get()))
        refuse("it calls something without a tuple of arguments");
      const bool reduce = i.opcode == Opcode::kReduce;
      return stack_.push_back(ask(reduce ? "reduce" : "new_object", called.get(), arguments.get()));
    }
    case Opcode::kBuild: {
      const PyPtr state = pop();
      ask("build", PyPtr::borrow(top()).get(), state.get());
      return;
    }
    default:
      refuse("it has an opcode that is not executed");
  }
}

void Machine::execute(const Instruction& i) {
  switch (i.opcode) {
    case Opcode::kMark:
      return marks_.push_back(stack_.size());
    case Opcode::kPop:
      pop();
      return;
    case Opcode::kPopMark:
      return drop(pop_mark());
    case Opcode::kDuplicate:
      return push(Py_NewRef(top()));
    case Opcode::kGet1:
    case Opcode::kGet4:
      return get(i.number);
    case Opcode::kPut1:
    case Opcode::kPut4:
      return put(i.number);
    case Opcode::kMemoize:
      return put(static_cast<int64_t>(memoized_));
    case Opcode::kFrame:
      return;
    case Opcode::kProtocol:
      if (i.number < 2 || i.number > 5) {
        refuse(str("its protocol is ", i.number, "; protocols 2 to 5 are read"));
      }
      return;
    default:
      return execute_value(i);
  }
}

PyPtr Machine::run() {
  for (;;) {
    const Instruction instruction = reader_.next();
    if (instruction.opcode != Opcode::kStop) {
      execute(instruction);
      continue;
    }
    PyPtr result = pop();
    if (!stack_.empty() || !marks_.empty()) refuse("it ends with more than one object");
    return result;
  }
}

}  // namespace opweave::python::pickling
