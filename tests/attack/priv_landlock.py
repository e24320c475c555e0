"""Where the kernel has Landlock: signals to PID 1, and every way to be rid of the walls: rules of its own, threads, new processes."""
# expect: status=success
import ctypes
import errno
import os
import signal
import struct
import subprocess
import sys
import threading

libc = ctypes.CDLL(None, use_errno=True)
abi = libc.syscall(444, None, ctypes.c_size_t(0), 1)
print("HELD" if abi != 0 else "WRONG", "Landlock's version here:", abi)


def judge(name, call):
    try:
        call()
    except OSError as failure:
        print("HELD" if failure.errno in (errno.EPERM, errno.EACCES, errno.EROFS) else "WRONG", name, failure.strerror)
    else:
        print("WON", name)


def look(who):
    if abi >= 6:
        for number in (0, signal.SIGCONT, signal.SIGTERM, signal.SIGURG):
            judge("%s, signal %d" % (who, number), lambda: os.kill(1, number))
    if abi >= 2:
        for place in ("/var/tmp/x", "/etc/x", "/dev/x", "/run/x", "/x"):
            judge("%s, %s" % (who, place), lambda: open(place, "w").close())
        judge(who + ", memory", lambda: open("/proc/1/mem", "rb").close())
        judge(who + ", attach", lambda: libc.ptrace(16, 1, None, None) == 0 or (_ for _ in ()).throw(PermissionError(errno.EPERM, "ptrace")))


look("the program")
thread = threading.Thread(target=look, args=("a thread",))
thread.start()
thread.join()
if abi >= 2:
    everything = (1 << 13) - 1
    ruleset = libc.syscall(444, struct.pack("=Q", everything), ctypes.c_size_t(8), 0)
    root = os.open("/", os.O_PATH)
    added = libc.syscall(445, ruleset, 1, struct.pack("=Qi", everything, root), 0)
    entered = libc.syscall(446, ruleset, 0)
    print("HELD" if ruleset >= 0 and added == entered == 0 else "WRONG", "rules of its own, that allow all, are taken", ruleset, added, entered)
    look("with rules of its own")
sys.stdout.flush()
if os.fork() == 0:
    os.setsid()
    look("a child")
    sys.stdout.flush()
    os._exit(0)
os.wait()
try_it = "import os\ntry: os.kill(1, 0)\nexcept PermissionError: print('HELD', 'a new Python')\nelse: print('WON', 'a new Python')"
if abi >= 6:
    print(subprocess.run([sys.executable, "-c", try_it], capture_output=True, text=True).stdout.strip())
