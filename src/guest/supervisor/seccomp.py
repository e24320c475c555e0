"""PID 1: the second seccomp filter, for all that follows. Engines' own profiles let uid 65534 do more than one thinks.

A program of classic BPF over `struct seccomp_data`. It refuses foreign architectures, says ENOSYS to every number that is on no list of
ours (what a newer kernel has, nobody here has looked at; C libraries then take the older call), refuses a list of system calls, and a few
others by their arguments: filters on sockets, urgent data, new namespaces through clone, the limit of core dumps, and whatever would starve or limit PID 1 by its number. It names PID 1 rather than
allowing only pid 0, because C libraries pass thread ids (thread affinity) and people renice their own children; every
other process in the container belongs to the same run.
"""
import os
import struct

from . import libc_calls

ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}

# The numbers that we know, by what stands in the kernel's tables up to mseal; first and last of each row of them.
KNOWN = {"x86_64": ((0, 334), (424, 462)), "aarch64": ((0, 243), (260, 294), (424, 462))}

# name: (x86-64, aarch64); None where there is no such call.
DENIED = {
    # namespaces and mounts, the old way and the new
    "unshare": (272, 97), "setns": (308, 268), "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41),
    "chroot": (161, 51), "open_tree": (428, 428), "move_mount": (429, 429), "fsopen": (430, 430),
    "fsconfig": (431, 431), "fsmount": (432, 432), "fspick": (433, 433), "mount_setattr": (442, 442),
    "statmount": (457, 457), "listmount": (458, 458), "open_tree_attr": (467, 467), "lsm_set_self_attr": (460, 460),
    # other processes' memory, descriptors and registers
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "pidfd_getfd": (438, 438),
    "process_madvise": (440, 440), "process_mrelease": (448, 448), "kcmp": (312, 272), "migrate_pages": (256, 238),
    "move_pages": (279, 239),
    # large parts of the kernel that no program here needs
    "bpf": (321, 280), "perf_event_open": (298, 241), "io_uring_setup": (425, 425), "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427), "userfaultfd": (323, 282), "add_key": (248, 217), "request_key": (249, 218),
    "keyctl": (250, 219), "fanotify_init": (300, 262), "fanotify_mark": (301, 263), "lookup_dcookie": (212, 18),
    "modify_ldt": (154, None), "uselib": (134, None), "ustat": (136, None), "sysfs": (139, None), "_sysctl": (156, None),
    # ways to run what lies in no file, and to open what lies in no tree
    "memfd_create": (319, 279), "memfd_secret": (447, 447), "execveat": (322, 281), "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    # what is one for the whole host: its pool of asynchronous I/O, its disks' write queues
    "io_setup": (206, 0), "sync": (162, 81), "syncfs": (306, 267),
    # the machine
    "quotactl": (179, 60), "quotactl_fd": (443, 443), "swapon": (167, 224), "swapoff": (168, 225), "reboot": (169, 142),
    "sethostname": (170, 161), "setdomainname": (171, 162), "init_module": (175, 105), "finit_module": (313, 273),
    "delete_module": (176, 106), "kexec_load": (246, 104), "kexec_file_load": (320, 294), "acct": (163, 89),
    "settimeofday": (164, 170), "clock_settime": (227, 112), "clock_adjtime": (305, 266), "vhangup": (153, 58),
    "syslog": (103, 116), "nfsservctl": (180, 42), "iopl": (172, None), "ioperm": (173, None),
}

# What programs do without where it is not there: they get the error that they know for that. Pages that travel between pipes and
# sockets, and filters in the kernel.
ABSENT = {"splice": (275, 76, 22), "tee": (276, 77, 22), "vmsplice": (278, 75, 22), "seccomp": (317, 277, 38)}

CHECKED = {
    "clone": (56, 220), "clone3": (435, 435), "prlimit64": (302, 261), "setrlimit": (160, 164), "sched_setaffinity": (203, 122),
    "sched_setparam": (142, 118), "sched_setscheduler": (144, 119), "sched_setattr": (314, 274),
    "setpriority": (141, 140), "ioprio_set": (251, 30), "ioctl": (16, 29), "socket": (41, 198),
    "socketpair": (53, 199), "personality": (135, 92), "prctl": (157, 167), "setsockopt": (54, 208),
    "sendto": (44, 206), "sendmsg": (46, 211), "sendmmsg": (307, 269),
}

# Offsets in struct seccomp_data. Both architectures are little endian: the low word of an argument comes first.
NUMBER, ARCHITECTURE = 0, 4


def low_word(argument):
    return 16 + 8 * argument


LOAD, AND, RETURN = 0x20, 0x54, 0x06
EQUAL, AT_LEAST, ANY_BIT = 0x15, 0x35, 0x45

ALLOW = 0x7FFF0000
DONE, EPERM, EINVAL, ENOSYS, EPROTONOSUPPORT, EOPNOTSUPP, EAFNOSUPPORT = 0, 1, 22, 38, 93, 95, 97


def error(code):
    return 0x00050000 | code


NAMESPACE_FLAGS = 0x7E020000  # NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET
TIOCSTI, TIOCLINUX, TIOCSETD = 0x5412, 0x541C, 0x5423  # the last one loads line disciplines into the kernel
AF_UNIX, AF_INET, AF_INET6, AF_NETLINK, NETLINK_ROUTE = 1, 2, 10, 16, 0
SOCK_RAW, SOCK_PACKET, SOCK_TYPE_MASK = 3, 10, 0xF
INTERNET_PROTOCOLS = (0, 1, 6, 17, 58)  # whatever fits, ICMP, TCP, UDP, ICMPv6
PERSONALITIES = (0, 0x0008, 0x20000, 0x20008, 0xFFFFFFFF)  # what Docker allows; the last one only asks
RLIMIT_CORE = 4
PRIO_USER, IOPRIO_WHO_USER = 2, 3
PR_SET_SECCOMP = 22
SOL_SOCKET, SOCKET_FILTERS = 1, (26, 50, 51, 52)  # SO_ATTACH_FILTER, _BPF, _REUSEPORT_CBPF, _REUSEPORT_EBPF
MSG_OOB = 1


class Program:
    """Instructions in order. Jumps go a few instructions ahead, and offsets are lengths of what they pass over."""

    def __init__(self):
        self.instructions = []

    def add(self, code, k, when_true=0, when_false=0):
        self.instructions.append(struct.pack("=HBBI", code, when_true, when_false, k))

    def load(self, offset):
        self.add(LOAD, offset)

    def end(self, action):
        self.add(RETURN, action)

    def end_if(self, test, k, action):
        self.add(test, k, 0, 1)
        self.end(action)

    def end_unless(self, test, k, action):
        self.add(test, k, 1, 0)
        self.end(action)

    def end_between(self, first, end, action):
        """Where it is at least `first` and less than `end`."""
        self.add(AT_LEAST, first, 0, 2)
        self.add(AT_LEAST, end, 1, 0)
        self.end(action)

    def branch(self, number, body):
        """`body` where the system call is `number`; each body ends the program itself."""
        inner = Program()
        body(inner)
        self.add(EQUAL, number, 0, len(inner.instructions))
        self.instructions += inner.instructions

    def branch_if_null(self, argument, body):
        """`body` where a pointer is null; it ends the program itself."""
        inner = Program()
        body(inner)
        self.load(low_word(argument))
        self.add(EQUAL, 0, 0, len(inner.instructions) + 2)
        self.load(low_word(argument) + 4)
        self.add(EQUAL, 0, 0, len(inner.instructions))
        self.instructions += inner.instructions

    def bytes(self):
        return b"".join(self.instructions)


def check_clone(p):
    p.load(low_word(0))
    p.end_if(ANY_BIT, NAMESPACE_FLAGS, error(EPERM))
    p.end(ALLOW)


def check_clone3(p):
    p.end(error(ENOSYS))  # its flags lie in memory, where no filter sees them; C libraries then use clone


def not_the_supervisor(pid):
    def check(p):
        p.load(low_word(0))
        p.end_if(EQUAL, pid, error(EPERM))
        p.end(ALLOW)
    return check


def check_setrlimit(p):
    """Programs that turn core dumps off are told that it is done, which in effect it is; many would end otherwise."""
    p.load(low_word(0))
    p.end_if(EQUAL, RLIMIT_CORE, error(DONE))
    p.end(ALLOW)


def check_prlimit(pid):
    """(pid, kind, new, old): without a new one it only asks. Who wants the old one as well would get none: that is refused."""
    def check(p):
        p.load(low_word(0))
        p.end_if(EQUAL, pid, error(EPERM))
        p.load(low_word(1))
        p.end_unless(EQUAL, RLIMIT_CORE, ALLOW)
        p.branch_if_null(2, lambda p: p.end(ALLOW))
        p.branch_if_null(3, lambda p: p.end(error(DONE)))
        p.end(error(EPERM))
    return check


def not_the_supervisor_by_kind(pid, kind_user):
    """setpriority and ioprio_set: (kind, who). All processes of the user would be PID 1, too."""
    def check(p):
        p.load(low_word(0))
        p.end_if(EQUAL, kind_user, error(EPERM))
        p.load(low_word(1))
        p.end_if(EQUAL, pid, error(EPERM))
        p.end(ALLOW)
    return check


def check_ioctl(p):
    p.load(low_word(1))
    for request in (TIOCSTI, TIOCLINUX, TIOCSETD):
        p.end_if(EQUAL, request, error(EPERM))
    p.end(ALLOW)


def check_socket(p):
    """Unix, IPv4 and IPv6, not raw; netlink only for routes, by which C libraries list interfaces.

    No other protocol than the usual: asking for SCTP or L2TP is enough for the host's kernel to load it.
    """
    p.load(low_word(0))
    p.end_if(EQUAL, AF_UNIX, ALLOW)
    p.branch(AF_NETLINK, check_netlink)
    p.add(EQUAL, AF_INET, 2, 0)
    p.add(EQUAL, AF_INET6, 1, 0)
    p.end(error(EAFNOSUPPORT))
    p.load(low_word(1))
    p.add(AND, SOCK_TYPE_MASK)
    p.end_if(EQUAL, SOCK_RAW, error(EPERM))
    p.end_if(EQUAL, SOCK_PACKET, error(EPERM))
    p.load(low_word(2))
    for protocol in INTERNET_PROTOCOLS:
        p.end_if(EQUAL, protocol, ALLOW)
    p.end(error(EPROTONOSUPPORT))


def check_netlink(p):
    p.load(low_word(2))
    p.end_if(EQUAL, NETLINK_ROUTE, ALLOW)
    p.end(error(EAFNOSUPPORT))


def check_socketpair(p):
    p.load(low_word(0))
    p.end_if(EQUAL, AF_UNIX, ALLOW)
    p.end(error(EAFNOSUPPORT))


def check_prctl(p):
    """A program's own filter would cost more with each call that is made, and helps nobody in here."""
    p.load(low_word(0))
    p.end_if(EQUAL, PR_SET_SECCOMP, error(EINVAL))
    p.end(ALLOW)


def check_setsockopt(p):
    p.load(low_word(1))
    p.end_unless(EQUAL, SOL_SOCKET, ALLOW)
    p.load(low_word(2))
    for option in SOCKET_FILTERS:
        p.end_if(EQUAL, option, error(EPERM))
    p.end(ALLOW)


def no_urgent_data(argument):
    def check(p):
        p.load(low_word(argument))
        p.end_if(ANY_BIT, MSG_OOB, error(EOPNOTSUPP))
        p.end(ALLOW)
    return check


def check_personality(p):
    p.load(low_word(0))
    for persona in PERSONALITIES:
        p.end_if(EQUAL, persona, ALLOW)
    p.end(error(EPERM))


def build(machine, supervisor_pid):
    """The filter's program as bytes, for `x86_64` or `aarch64`."""
    column = list(ARCHITECTURES).index(machine)
    p = Program()
    p.load(ARCHITECTURE)
    p.end_unless(EQUAL, ARCHITECTURES[machine], error(EPERM))
    p.load(NUMBER)
    if machine == "x86_64":
        p.end_if(AT_LEAST, 0x40000000, error(EPERM))  # x32, where the same calls have other numbers
    for numbers in DENIED.values():
        if numbers[column] is not None:
            p.end_if(EQUAL, numbers[column], error(EPERM))
    for numbers in ABSENT.values():
        p.end_if(EQUAL, numbers[column], error(numbers[2]))
    next_known = 0
    for first, last in KNOWN[machine]:
        if first > next_known:
            p.end_between(next_known, first, error(ENOSYS))
        next_known = last + 1
    p.end_if(AT_LEAST, next_known, error(ENOSYS))
    by_pid = not_the_supervisor(supervisor_pid)
    for name, body in {
        "clone": check_clone, "clone3": check_clone3, "prlimit64": check_prlimit(supervisor_pid),
        "setrlimit": check_setrlimit, "sched_setaffinity": by_pid,
        "sched_setparam": by_pid, "sched_setscheduler": by_pid, "sched_setattr": by_pid,
        "setpriority": not_the_supervisor_by_kind(supervisor_pid, PRIO_USER),
        "ioprio_set": not_the_supervisor_by_kind(supervisor_pid, IOPRIO_WHO_USER), "ioctl": check_ioctl,
        "socket": check_socket, "socketpair": check_socketpair, "personality": check_personality, "prctl": check_prctl,
        "setsockopt": check_setsockopt, "sendto": no_urgent_data(3), "sendmsg": no_urgent_data(2), "sendmmsg": no_urgent_data(3),
    }.items():
        p.branch(CHECKED[name][column], body)
    p.end(ALLOW)
    return p.bytes()


def install():
    """Puts the filter in force for this process and its children to come. `installed`, or why not."""
    machine = os.uname().machine
    if machine not in ARCHITECTURES:
        return "no filter for " + machine
    if libc_calls.libc is None:
        return "this Python has no ctypes"
    ctypes = libc_calls.ctypes
    program = build(machine, os.getpid())
    code = ctypes.create_string_buffer(program, len(program))

    class Header(ctypes.Structure):  # struct sock_fprog
        _fields_ = [("length", ctypes.c_ushort), ("code", ctypes.c_void_p)]

    header = Header(len(program) // 8, ctypes.addressof(code))
    try:
        libc_calls.prctl(libc_calls.PR_SET_NO_NEW_PRIVS, 1)
        filter_mode = 2
        libc_calls.prctl(libc_calls.PR_SET_SECCOMP, filter_mode, ctypes.byref(header))
    except OSError as failure:
        return "prctl: %s" % failure.strerror
    return "installed"
