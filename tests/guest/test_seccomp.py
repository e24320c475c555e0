"""Unit and system: the filter's program, run by a small interpreter of classic BPF, and its effect in the real guest."""
import struct
import unittest

import units  # noqa: F401
from _cordon import seccomp
from host import Guest

ALLOW, EPERM, ENOSYS, EAFNOSUPPORT = seccomp.ALLOW, seccomp.error(1), seccomp.error(38), seccomp.error(97)


def judge(program, number, *arguments, architecture=0xC000003E):
    """What the kernel would answer: the value of the instruction that ends the program."""
    data = struct.pack("=IIQ6Q", number, architecture, 0, *[word & (1 << 64) - 1 for word in arguments + (0,) * (6 - len(arguments))])
    at = accumulator = 0
    while True:
        code, when_true, when_false, k = struct.unpack_from("=HBBI", program, 8 * at)
        at += 1
        if code == 0x20:
            accumulator = struct.unpack_from("=I", data, k)[0]
        elif code == 0x54:
            accumulator &= k
        elif code == 0x06:
            return k
        else:
            holds = {0x15: accumulator == k, 0x35: accumulator >= k, 0x45: bool(accumulator & k)}[code]
            at += when_true if holds else when_false


class Program(unittest.TestCase):
    programs = {name: seccomp.build(name, 1) for name in seccomp.ARCHITECTURES}
    x86 = programs["x86_64"]

    def test_every_denied_call_on_both_architectures(self):
        for column, (name, audit) in enumerate(seccomp.ARCHITECTURES.items()):
            for call, numbers in seccomp.DENIED.items():
                if numbers[column] is not None:
                    self.assertEqual(judge(self.programs[name], numbers[column], architecture=audit), EPERM, call)

    def test_ordinary_calls_pass(self):
        for number in (0, 1, 2, 9, 39, 57, 58, 59, 61, 97, 160, 202, 217, 231, 257, 262, 291, 318, 334, 424, 434, 449):
            self.assertEqual(judge(self.x86, number), ALLOW, number)

    def test_numbers_that_are_on_no_list_are_not_there(self):
        for name, audit, unknown, known in (("x86_64", 0xC000003E, (335, 387, 423, 463, 466, 468, 500, 0x3FFFFFFF), (334, 424, 462)),
                                            ("aarch64", 0xC00000B7, (244, 259, 295, 423, 463, 468, 0x40000001, 0xFFFFFFFF), (243, 260, 291, 424, 462))):
            for number in unknown:
                self.assertEqual(judge(self.programs[name], number, architecture=audit), ENOSYS, number)
            for number in known:
                self.assertEqual(judge(self.programs[name], number, architecture=audit), ALLOW, number)

    def test_what_is_as_on_a_kernel_without(self):
        for column, (name, audit) in enumerate(seccomp.ARCHITECTURES.items()):
            for call, numbers in seccomp.ABSENT.items():
                self.assertEqual(judge(self.programs[name], numbers[column], architecture=audit), seccomp.error(numbers[2]), call)

    def test_filters_of_the_program_s_own_and_urgent_data(self):
        self.assertEqual(judge(self.x86, 157, 22, 2), seccomp.error(22))
        self.assertEqual(judge(self.x86, 157, 0x7_0000_0016, 1), seccomp.error(22))
        self.assertEqual(judge(self.x86, 157, 21), ALLOW)
        for option in (26, 50, 51, 52):
            self.assertEqual(judge(self.x86, 54, 5, 1, option), EPERM, option)
            self.assertEqual(judge(self.x86, 54, 5, 6, option), ALLOW, option)
        self.assertEqual(judge(self.x86, 54, 5, 1, 2), ALLOW)
        for number, place in ((44, 3), (46, 2), (307, 3)):
            for flags, verdict in ((0, ALLOW), (0x4000, ALLOW), (1, seccomp.error(95)), (0x4001, seccomp.error(95))):
                self.assertEqual(judge(self.x86, number, *[0] * place, flags), verdict, (number, flags))

    def test_foreign_architectures_and_x32(self):
        self.assertEqual(judge(self.x86, 1, architecture=0x40000003), EPERM)
        self.assertEqual(judge(self.x86, 1, architecture=0xC00000B7), EPERM)
        self.assertEqual(judge(self.x86, 0x40000001), EPERM)
        self.assertEqual(judge(self.programs["aarch64"], 64, architecture=0xC000003E), EPERM)

    def test_clone_without_namespaces_only(self):
        self.assertEqual(judge(self.x86, 56, 0x003D0F00), ALLOW)  # a thread
        self.assertEqual(judge(self.x86, 56, 0x01200011), ALLOW)  # fork
        for flag in (0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000):
            self.assertEqual(judge(self.x86, 56, flag | 17), EPERM, hex(flag))
        self.assertEqual(judge(self.x86, 435), ENOSYS)

    def test_the_supervisor_is_out_of_reach_and_others_are_not(self):
        for number in (302, 203, 142, 144, 314):
            self.assertEqual(judge(self.x86, number, 1), EPERM)
            self.assertEqual(judge(self.x86, number, 0x7_0000_0001), EPERM)  # the kernel reads the low word
            self.assertEqual(judge(self.x86, number, 0), ALLOW)
            self.assertEqual(judge(self.x86, number, 17), ALLOW)
        for number, user in ((141, 2), (251, 3)):
            self.assertEqual(judge(self.x86, number, 0, 1), EPERM)
            self.assertEqual(judge(self.x86, number, 1, 1), EPERM)
            self.assertEqual(judge(self.x86, number, user, 0), EPERM)
            self.assertEqual(judge(self.x86, number, 0, 0), ALLOW)

    def test_the_limit_of_core_dumps_stays(self):
        told = seccomp.error(0)  # done, although it is not
        for kind, verdict, with_old in ((4, told, EPERM), (7, ALLOW, ALLOW), (0x1_0000_0004, told, EPERM)):  # the kernel reads the low word
            self.assertEqual(judge(self.x86, 160, kind), verdict, kind)
            for pointer in (0x7FFF_0000_1000, 0x7FFF_0000_0000, 0x1000):
                self.assertEqual(judge(self.x86, 302, 17, kind, pointer, 0), verdict, kind)
                self.assertEqual(judge(self.x86, 302, 17, kind, pointer, pointer), with_old, kind)
                self.assertEqual(judge(self.x86, 302, 17, kind, 0, pointer), ALLOW, kind)  # asks only
            self.assertEqual(judge(self.x86, 302, 1, kind, 0, 0), EPERM, kind)

    def test_sockets(self):
        for family in (1, 2, 10):
            self.assertEqual(judge(self.x86, 41, family, 1 | 0o2000000), ALLOW)
        for kind in (3, 10, 3 | 0o4000):
            self.assertEqual(judge(self.x86, 41, 2, kind), EPERM)
            self.assertEqual(judge(self.x86, 41, 10, kind), EPERM)
        self.assertEqual(judge(self.x86, 41, 16, 3, 0), ALLOW)
        for family in (16, 17, 38, 40, 44, 45, 9, 29):
            self.assertEqual(judge(self.x86, 41, family, 3, 12), EAFNOSUPPORT, family)
        for protocol, verdict in ((6, ALLOW), (17, ALLOW), (132, seccomp.error(93)), (115, seccomp.error(93)), (262, seccomp.error(93))):
            self.assertEqual(judge(self.x86, 41, 2, 1, protocol), verdict, protocol)
        self.assertEqual(judge(self.x86, 53, 1), ALLOW)
        self.assertEqual(judge(self.x86, 53, 30), EAFNOSUPPORT)

    def test_terminals_and_personalities(self):
        for request in (0x5412, 0x541C, 0x5423):
            self.assertEqual(judge(self.x86, 16, 0, request), EPERM)
        self.assertEqual(judge(self.x86, 16, 0, 0x541B), ALLOW)
        for persona, verdict in ((0, ALLOW), (0xFFFFFFFF, ALLOW), (0x0040000, EPERM), (0x0400000, EPERM)):
            self.assertEqual(judge(self.x86, 135, persona), verdict)

    def test_numbers_are_those_of_this_machine(self):
        import os
        import re
        path = "/usr/include/x86_64-linux-gnu/asm/unistd_64.h"
        if not os.path.exists(path):
            self.skipTest("no kernel headers here")
        with open(path) as file:
            known = {name: int(number) for name, number in re.findall(r"#define __NR_(\w+) (\d+)", file.read())}
        for name, (number, _) in {**seccomp.DENIED, **seccomp.CHECKED, **{name: numbers[:2] for name, numbers in seccomp.ABSENT.items()}}.items():
            if name in known:
                self.assertEqual(number, known[name], name)
        for name, number in known.items():
            self.assertTrue(any(first <= number <= last for first, last in seccomp.KNOWN["x86_64"]) or number > 462, name)


class InForce(unittest.TestCase):
    def test_denied_calls_fail_and_ordinary_things_work(self):
        with Guest() as guest:
            self.assertEqual(guest.ready_params["attestation"]["own_filter"], "installed")
            self.assertEqual(guest.ready_params["attestation"]["seccomp"], 2)
            result = guest.run("""
import ctypes, os, resource, socket, subprocess, threading, errno
libc = ctypes.CDLL(None, use_errno=True)
def refused(name, *arguments, code=errno.EPERM):
    result = getattr(libc, name)(*arguments)
    if result != -1 or ctypes.get_errno() != code:
        print(name, 'gave', result, ctypes.get_errno())
refused('unshare', 0x10000000)
refused('setns', 0, 0)
refused('mount', b'none', b'/tmp', b'tmpfs', 0, None)
refused('ptrace', 16, 1, 0, 0)
refused('syscall', 435, 0, 0, code=errno.ENOSYS)
refused('syscall', 425, 1, 0)
refused('syscall', 468, 0, 0, code=errno.ENOSYS)
refused('personality', 0x0400000)
refused('setpriority', 0, 1, 19)
refused('setpriority', 2, 0, 19)
for f in (lambda: os.memfd_create('x'), lambda: resource.prlimit(1, resource.RLIMIT_NOFILE, (10, 10)), lambda: os.sched_setaffinity(1, {0}),
          lambda: os.sched_setscheduler(1, os.SCHED_IDLE, os.sched_param(0)), lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW),
          lambda: resource.prlimit(0, resource.RLIMIT_CORE, (0, 0)),
          lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW)):
    try:
        f()
        print('allowed', f)
    except (OSError, ValueError): # resource's own way to say EPERM
        pass
resource.setrlimit(resource.RLIMIT_NOFILE, (512, 512))
resource.prlimit(os.getpid(), resource.RLIMIT_NOFILE, (500, 500))
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
print(resource.getrlimit(resource.RLIMIT_CORE))
os.sched_setaffinity(0, os.sched_getaffinity(0))
os.nice(1)
os.setpriority(os.PRIO_PROCESS, os.getpid(), 5)
t = threading.Thread(target=print, args=('thread',)); t.start(); t.join()
print(subprocess.run(['echo', 'child'], capture_output=True, text=True).stdout, end='')
print(socket.socketpair()[0].family.name, bool(socket.if_nameindex() is not None))
os.mkfifo('/tmp/fifo')
""")
        self.assertEqual(result.stdout, "(1, 1)\nthread\nchild\nAF_UNIX True\n", result)
        self.assertEqual(result.status, "success", result)


if __name__ == "__main__":
    unittest.main()
