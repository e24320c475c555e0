"""Opens every device that there might be, and every one that there is."""
# expect: status=success
import errno
import glob
import os
import stat

usual = {"null", "zero", "full", "random", "urandom", "tty", "ptmx"}
for name in ("mem", "kmem", "port", "kmsg", "sda", "vda", "nvme0n1", "loop0", "loop-control", "dm-0", "mapper/control", "fuse", "kvm", "vhost-net", "net/tun", "dri/card0", "dri/renderD128", "snd/timer",
             "input/event0", "uinput", "hpet", "rtc0", "watchdog", "btrfs-control", "cuse", "userfaultfd", "sgx_enclave", "nvram", "console", "tty0", "tty1", "vcs", "autofs", "ppp", "vfio/vfio"):
    try:
        os.open("/dev/" + name, os.O_RDONLY | os.O_NONBLOCK)
        print("WON", name)
    except OSError as e:
        print("HELD" if e.errno in (errno.ENOENT, errno.EACCES, errno.EPERM, errno.ENXIO) else "WRONG", e)
for path in glob.glob("/dev/**", recursive=True):
    try:
        mode = os.lstat(path).st_mode
    except OSError:
        continue  # a descriptor that was open while the list was made
    name = path[5:]
    if stat.S_ISBLK(mode) or (stat.S_ISCHR(mode) and name not in usual and not name.startswith("pts/")):
        print("WON", path)
