"""Writes to the kernel's settings: the core pattern, the module loader, SysRq, uevent and firmware helpers, binary formats."""
# expect: status=success
import errno
import os

paths = ["/proc/sys/kernel/core_pattern", "/proc/sys/kernel/modprobe", "/proc/sys/kernel/hotplug", "/proc/sys/vm/overcommit_memory", "/proc/sys/vm/drop_caches", "/proc/sys/fs/file-max",
         "/proc/sys/kernel/ns_last_pid", "/proc/sys/net/ipv4/ip_forward", "/proc/sys/kernel/domainname", "/proc/sys/fs/mqueue/msg_max", "/proc/sys/fs/binfmt_misc/register", "/proc/sysrq-trigger",
         "/proc/irq/default_smp_affinity", "/proc/bus/pci/devices", "/proc/acpi/wakeup", "/proc/scsi/scsi", "/proc/mtrr", "/sys/kernel/uevent_helper", "/sys/kernel/mm/ksm/run", "/sys/power/state",
         "/sys/class/net/lo/mtu", "/sys/module/firmware_class/parameters/path", "/sys/kernel/mm/transparent_hugepage/enabled", "/sys/block/vda/queue/scheduler"]
for path in paths:
    try:
        fd = os.open(path, os.O_WRONLY)
        os.write(fd, b"1\n")
        print("WON", path)
    except OSError as e:
        print("HELD" if e.errno in (errno.EROFS, errno.EACCES, errno.EPERM, errno.ENOENT) else "WRONG", path, e)
