"""PID 1 and the worker: the few calls of libc that Python's own modules do not offer."""
import os

try:
    import ctypes
    libc = ctypes.CDLL(None, use_errno=True)
    fflush = libc.fflush
except (ImportError, OSError):  # a Python without libffi: everything here then says that it cannot
    ctypes = libc = fflush = None

PR_GET_DUMPABLE, PR_SET_DUMPABLE = 3, 4
PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, PR_GET_NO_NEW_PRIVS = 22, 38, 39


def prctl(option, arg2=0, arg3=0):
    """prctl(2); OSError where it fails or cannot be called."""
    if libc is None:
        raise OSError(38, "this Python has no ctypes")
    words = [ctypes.c_ulong(word) if isinstance(word, int) else word for word in (arg2, arg3)]
    result = libc.prctl(ctypes.c_int(option), *words, ctypes.c_ulong(0), ctypes.c_ulong(0))
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result


def try_prctl(option, arg2=0):
    """The same, and None where it fails."""
    try:
        return prctl(option, arg2)
    except OSError:
        return None


def unbuffer_c_stdio():
    """C's own stdout writes at once, so that what extensions print keeps its place among Python's prints."""
    try:
        stream = ctypes.c_void_p.in_dll(libc, "stdout")
        unbuffered = 2  # _IONBF, in glibc and musl
        libc.setvbuf(stream, None, unbuffered, ctypes.c_size_t(0))
    except (AttributeError, ValueError):
        pass


def flush_c_stdio():
    if fflush is not None:
        fflush(None)
