"""Calls the large and rarely needed parts of the kernel: bpf, perf, io_uring, userfaultfd, keyrings, fanotify."""
# expect: status=success
import ctypes
import errno
import os

libc = ctypes.CDLL(None, use_errno=True)
column = {"x86_64": 0, "aarch64": 1}[os.uname().machine]
zeros = ctypes.create_string_buffer(256)
for name, numbers, arguments in (
    ("bpf", (321, 280), (0, zeros, 128)), ("bpf load", (321, 280), (5, zeros, 128)), ("perf_event_open", (298, 241), (zeros, 0, -1, -1, 0)), ("io_uring_setup", (425, 425), (8, zeros)),
    ("io_uring_enter", (426, 426), (3, 1, 0, 0, None, 0)), ("io_uring_register", (427, 427), (3, 0, None, 0)), ("userfaultfd", (323, 282), (0,)), ("userfaultfd user", (323, 282), (1,)),
    ("add_key", (248, 217), (b"user", b"x", b"y", 1, -3)), ("request_key", (249, 218), (b"user", b"x", None, -3)), ("keyctl", (250, 219), (0, -3, 1)), ("keyctl join", (250, 219), (1, None)),
    ("fanotify_init", (300, 262), (0, 0)), ("lookup_dcookie", (212, 18), (0, zeros, 256)), ("name_to_handle_at", (303, 264), (-100, b"/", zeros, zeros, 0)), ("kexec_load", (246, 104), (0, 0, None, 0)),
    ("kexec_file_load", (320, 294), (-1, -1, 0, b"", 0)), ("init_module", (175, 105), (zeros, 0, b"")), ("finit_module", (313, 273), (0, b"", 0)), ("delete_module", (176, 106), (b"x", 0)),
    ("reboot", (169, 142), (0xFEE1DEAD - (1 << 32), 672274793, 0, None)), ("swapon", (167, 224), (b"/tmp/x", 0)), ("acct", (163, 89), (None,)), ("quotactl", (179, 60), (0x800002 << 8, b"/dev/vda", 0, zeros)),
    ("syslog", (103, 116), (3, zeros, 256)), ("vhangup", (153, 58), ()), ("sethostname", (170, 161), (b"x", 1)), ("setdomainname", (171, 162), (b"x", 1)),
):
    ctypes.set_errno(0)
    result, code = libc.syscall(numbers[column], *arguments), ctypes.get_errno()
    print("WON" if result >= 0 else "HELD" if code in (errno.EPERM, errno.EACCES, errno.ENOSYS) else "WRONG", name, os.strerror(code))
