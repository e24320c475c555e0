#pragma once

/// Remedies that more than one trouble needs.
namespace engines::remedy {

inline constexpr const char* unified_cgroups =
    "boot with cgroup v2: sudo grubby --update-kernel=ALL --args=systemd.unified_cgroup_hierarchy=1 (Debian, "
    "Ubuntu: add "
    "it to GRUB_CMDLINE_LINUX in /etc/default/grub and run sudo update-grub), then reboot";

inline constexpr const char* delegate =
    "printf '[Service]\\nDelegate=cpu cpuset io memory pids\\n' | sudo install -D -m 644 /dev/stdin "
    "/etc/systemd/system/user@.service.d/delegate.conf && sudo systemctl daemon-reload, then log out and in "
    "again";

inline constexpr const char* subids = "sudo usermod --add-subuids 100000-165535 --add-subgids 100000-165535 "
                                      "$USER && podman system migrate, then restart the engine";

inline constexpr const char* count_swap =
    "boot with cgroup_enable=memory swapaccount=1 on the kernel's command line";

} // namespace engines::remedy
