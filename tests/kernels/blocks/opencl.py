"""As much of OpenCL as the tests need, through ctypes: programs of bitcode, NumPy's memory, launches."""

import ctypes
import ctypes.util
import os
import tempfile

_INSTALL = "install pocl-opencl-icd and clang-15 (./dev setup does)"
_DEVICE_TYPE_CPU = 1 << 1
_USE_HOST_PTR = 1 << 3
_BUILD_LOG, _PLATFORM_NAME = 0x1183, 0x0902

_size, _pointer, _uint = ctypes.c_size_t, ctypes.c_void_p, ctypes.c_uint


def _library():
    try:
        library = ctypes.CDLL("libOpenCL.so.1")
    except OSError as error:
        raise RuntimeError(f"there is no OpenCL loader ({error}): {_INSTALL}") from None
    for name in [
        "clCreateContext",
        "clCreateCommandQueue",
        "clCreateProgramWithBinary",
        "clCreateKernel",
        "clCreateBuffer",
        "clEnqueueMapBuffer",
    ]:
        getattr(library, name).restype = _pointer
    return library


def _must(code, what):
    if code != 0:
        raise RuntimeError(f"OpenCL: {what} failed with {code}")


class Device:
    """The processor, as PoCL makes a device of it."""

    def __init__(self):
        # What it has compiled for a kernel goes with the test.
        self._cache = tempfile.TemporaryDirectory()
        os.environ["POCL_CACHE_DIR"] = self._cache.name
        self.cl = _library()
        self.device = self._find()
        error = ctypes.c_int()
        device = (_pointer * 1)(self.device)
        self.context = self.cl.clCreateContext(None, 1, device, None, None, ctypes.byref(error))
        _must(error.value, "clCreateContext")
        self.queue = self.cl.clCreateCommandQueue(
            _pointer(self.context), _pointer(self.device), ctypes.c_ulong(0), ctypes.byref(error)
        )
        _must(error.value, "clCreateCommandQueue")

    def _find(self):
        platforms, count = (_pointer * 16)(), _uint()
        self.cl.clGetPlatformIDs(16, platforms, ctypes.byref(count))
        names = []
        for platform in platforms[: count.value]:
            name = ctypes.create_string_buffer(256)
            self.cl.clGetPlatformInfo(_pointer(platform), _PLATFORM_NAME, _size(256), name, None)
            names.append(name.value.decode())
            device = _pointer()
            wanted = ctypes.c_ulong(_DEVICE_TYPE_CPU)
            if "Portable" in names[-1] and not self.cl.clGetDeviceIDs(
                _pointer(platform), wanted, 1, ctypes.byref(device), None
            ):
                return device.value
        raise RuntimeError(f"PoCL is not among OpenCL's platforms, which are {names}: {_INSTALL}")

    def program(self, bitcode):
        return Program(self, bitcode)


class Program:
    """What clang compiled for spir64."""

    def __init__(self, device, bitcode):
        self.device = device
        cl, error, status = device.cl, ctypes.c_int(), ctypes.c_int()
        text = ctypes.create_string_buffer(bitcode, len(bitcode))
        devices = (_pointer * 1)(device.device)
        self.program = cl.clCreateProgramWithBinary(
            _pointer(device.context),
            1,
            devices,
            ctypes.byref(_size(len(bitcode))),
            ctypes.byref(ctypes.cast(text, _pointer)),
            ctypes.byref(status),
            ctypes.byref(error),
        )
        _must(error.value or status.value, "clCreateProgramWithBinary")
        code = cl.clBuildProgram(
            _pointer(self.program), 1, devices, b"-x spir -spir-std=1.2", None, None
        )
        if code != 0:
            log = ctypes.create_string_buffer(1 << 16)
            cl.clGetProgramBuildInfo(
                _pointer(self.program), devices[0], _BUILD_LOG, _size(len(log)), log, None
            )
            raise RuntimeError(f"OpenCL: clBuildProgram failed with {code}: {log.value.decode()}")
        self.kernels = {}

    def run(self, name, arguments, shared, blocks, threads):
        """Runs a kernel to its end. Arguments are arrays, None, or bytes; `shared` bytes come last."""
        cl, kernel, kept = self.device.cl, self._kernel(name), []
        for k, argument in enumerate(arguments):
            if isinstance(argument, bytes):
                size, value = len(argument), ctypes.create_string_buffer(argument, len(argument))
            else:
                size, value = ctypes.sizeof(_pointer), self._buffer(argument, kept)
            _must(
                cl.clSetKernelArg(_pointer(kernel), k, _size(size), value),
                f"argument {k} of {name}",
            )
        _must(
            cl.clSetKernelArg(_pointer(kernel), len(arguments), _size(shared), None),
            f"memory of {name}",
        )
        queue = _pointer(self.device.queue)
        everything, each = _size(blocks * threads), _size(threads)
        code = cl.clEnqueueNDRangeKernel(
            queue,
            _pointer(kernel),
            1,
            None,
            ctypes.byref(everything),
            ctypes.byref(each),
            0,
            None,
            None,
        )
        _must(code, f"the launch of {name}")
        _must(cl.clFinish(queue), name)
        for buffer in kept:
            cl.clReleaseMemObject(buffer)

    def _kernel(self, name):
        if name not in self.kernels:
            error = ctypes.c_int()
            self.kernels[name] = self.device.cl.clCreateKernel(
                _pointer(self.program), name.encode(), ctypes.byref(error)
            )
            _must(error.value, f"clCreateKernel({name})")
        return self.kernels[name]

    # The device's memory is the program's own.
    def _buffer(self, array, kept):
        if array is None or array.nbytes == 0:
            return None
        error = ctypes.c_int()
        buffer = self.device.cl.clCreateBuffer(
            _pointer(self.device.context),
            ctypes.c_ulong(_USE_HOST_PTR),
            _size(array.nbytes),
            _pointer(array.ctypes.data),
            ctypes.byref(error),
        )
        _must(error.value, "clCreateBuffer")
        kept.append(_pointer(buffer))
        return ctypes.byref(kept[-1])
