"""An administrator's containers.conf has a time zone in it, and no code ran any more: `the engine adds mounts that are on no list`. What such settings add
and is harmless is taken; for what is not, the refusal names the setting. The engine is one of the test's own."""
import os
import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from cordon_client import CORDON, LIMIT  # noqa: E402
from own_engine import OwnEngine  # noqa: E402

HARMLESS = ('tz = "Europe/Berlin"', 'tz = "local"', 'annotations = ["run.oci.keep_original_groups=1", "a=b"]', 'base_hosts_file = "none"', 'umask = "0077"',
            'log_driver = "k8s-file"', 'default_sysctls = ["net.ipv4.ping_group_range=0 0"]', 'env = ["TERM=xterm", "SECRET=1"]', "env_host = true", "init = true",
            "no_hosts = true", 'shm_size = "1m"', 'netns = "host"', 'ipcns = "host"', 'pidns = "host"', 'default_capabilities = ["SYS_ADMIN"]',
            'default_ulimits = ["nofile=2048:4096"]', "http_proxy = true")
REFUSED = {'devices = ["/dev/fuse"]': ("the engine adds devices", "take /dev/fuse out of devices under [containers] in containers.conf"),
           'volumes = ["/var/tmp:/hostvar:ro"]': ("the engine adds mounts", "take /hostvar out of volumes or mounts under [containers]"),
           'volumes = ["named:/kept"]': ("more can be written to", "take /kept out of volumes or mounts under [containers]"),
           'seccomp_profile = "unconfined"': ("the engine's own filter is not in force", 'remove seccomp_profile = "unconfined"'),
           'seccomp_profile = "HOME/all.json"': ("the engine's profile allows all that its own one would refuse", "remove seccomp_profile from containers.conf"),
           'userns = "auto"': ("could not find enough available IDs", "userns in containers.conf")}
PROGRAM = """import os
print(sorted(set(os.environ) - {'HOSTNAME', 'container'}), os.getpid() > 1)
"""
# what the host gives to every container, as on a subscribed RHEL
MOUNTS = """cp -a /usr/share/containers /var/tmp/kept; mount -t tmpfs none /usr/share/containers; cp -a /var/tmp/kept/. /usr/share/containers
mkdir -p /var/tmp/given/rhsm /var/tmp/given/keys; echo a > /var/tmp/given/rhsm/rhsm.conf
echo /var/tmp/given:/run/secrets > /usr/share/containers/mounts.conf"""


def setUpModule():
    if os.getuid() != 0:
        raise unittest.SkipTest("needs root: the engine's settings are seen in a mount namespace")


class Settings(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.own = OwnEngine(*os.environ.get("CORDON_ENGINE_FLAGS", "").split())
        cls.addClassCleanup(cls.own.close)

    def run_with(self, setting):
        self.own.configure("containers.conf", "[containers]\n%s\n" % setting)
        return self.run_code(PROGRAM)

    def run_code(self, code):
        return subprocess.run([CORDON, "exec", "-"], input=code, capture_output=True, text=True, timeout=LIMIT * 2,
                              env={**os.environ, **self.own.settings, "HOME": str(self.own.home)})

    def test_what_is_harmless_changes_nothing(self):
        usual = self.run_with("").stdout
        self.assertIn("True", usual)
        for setting in HARMLESS:
            with self.subTest(setting):
                said = self.run_with(setting)
                self.assertEqual((said.stdout, said.returncode), (usual, 0), said.stderr)

    def test_what_is_not_is_refused_by_its_name(self):
        self.own.configure("all.json", '{"defaultAction": "SCMP_ACT_ALLOW"}')
        for setting, words in REFUSED.items():
            with self.subTest(setting):
                said = self.run_with(setting.replace("HOME", str(self.own.home)))
                self.assertEqual((said.stdout, said.returncode), ("", 125), said.stderr)
                for word in words:
                    self.assertIn(word, said.stderr)

    def test_what_a_host_gives_to_all_containers_is_refused_where_it_is_a_secret(self):
        self.own.inside("sh", "-ec", MOUNTS)
        self.addCleanup(self.own.inside, "umount", "/usr/share/containers")
        self.assertEqual(self.run_with("").returncode, 0)
        self.own.inside("sh", "-c", "echo key > /var/tmp/given/keys/1-key.pem")
        said = self.run_code(PROGRAM)
        self.assertEqual((said.stdout, said.returncode), ("", 125), said.stderr)
        for word in ("/run/secrets/keys/1-key.pem", "secrets of its host", "leave /run/secrets out of mounts.conf"):
            self.assertIn(word, said.stderr)


if __name__ == "__main__":
    unittest.main()
