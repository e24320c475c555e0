"""The well-known troubles of engines, each made for real: what a run, the server's tool and doctor say of it names the trouble and what mends it.
with_engine [--docker] -- python3 test_troubles.py"""
import os
import pathlib
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cordon_client import CORDON, LIMIT, ROOT, Cordon, Engine, descendants, until  # noqa: E402

FLAGS = os.environ["CORDON_ENGINE_FLAGS"].split()
LOW = 1000  # processes: less than a container of ours can do with


def setUpModule():
    if os.getuid() != 0:
        raise unittest.SkipTest("needs root: breaks an engine, and asks as somebody else")


class Case(unittest.TestCase):
    def setUp(self):
        self.home = tempfile.TemporaryDirectory(prefix="cordon-troubles-")
        self.addCleanup(self.home.cleanup)
        self.url = os.environ["MCP_BRIDGE_RUNTIME_SOCKET"]

    def restart(self, *by, **variables):
        done = subprocess.run([*by, ROOT / "scripts" / "engine", "restart", *FLAGS], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              env={**os.environ, **variables})
        self.assertEqual(done.returncode, 0, done.stdout)

    def service(self):
        """The process that scripts/engine started."""
        command = [ROOT / "scripts" / "engine", "status"]
        for line in subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines():
            if line.endswith(self.url):
                return int(line.split("pid ")[1].split(",")[0])
        self.fail("the engine does not run")

    def cordon(self, *words, by=()):
        environment = {**os.environ, "HOME": self.home.name, "MCP_BRIDGE_STATE_DIR": self.home.name + "/state", "MCP_BRIDGE_RUNTIME_SOCKET": self.url}
        return subprocess.run([*by, CORDON, *words], input="print(6 * 7)", capture_output=True, text=True, timeout=LIMIT * 3, env=environment)

    def check_said(self, trouble, remedy):
        """In a run, in the answer of the tool, and by doctor."""
        ended = self.cordon("exec", "-")
        self.assertEqual((ended.returncode, ended.stdout), (125, ""), ended.stderr)
        with Cordon("--runtime-socket", self.url) as cordon:
            answer = cordon.run("print(6 * 7)")
        self.assertEqual(answer.status, "refused", answer)
        doctor = self.cordon("doctor")
        self.assertEqual(doctor.returncode, 1, doctor.stderr)
        for text in (ended.stderr, answer.text, doctor.stdout):
            self.assertIn(trouble, text)
            self.assertIn(remedy, text)


class Broken(Case):
    def test_crun_where_cgroups_are_mixed(self):
        mixed = pathlib.Path("/sys/fs/cgroup/unified/cgroup.controllers")
        if "--docker" in FLAGS or not mixed.exists() or not mixed.read_text().strip():
            self.skipTest("no podman on a host whose v2 tree has controllers beside v1's")
        self.addCleanup(self.restart)
        self.restart(CORDON_ENGINE_RUNTIME="crun")
        self.check_said("cgroups in hybrid mode not supported", 'runtime = "runc"')

    def test_limits_of_the_engine_s_own_that_are_too_low(self):
        self.addCleanup(self.restart)
        self.restart("setpriv", "--bounding-set=-sys_resource")  # who has this right may set any limit
        pid = self.service()
        for each in (pid, *descendants(pid)):  # dockerd's containers are its containerd's
            subprocess.run(["prlimit", "--pid", str(each), "--nproc=%d:%d" % (LOW, LOW)], check=True)
        self.check_said("operation not permitted", "LimitNPROC=32768")

    def test_an_engine_that_was_killed_leaves_its_socket(self):
        self.addCleanup(self.restart_dead)
        pid = self.service()
        os.kill(pid, signal.SIGKILL)
        until(lambda: self.cordon("exec", "-").returncode == 125, limit=LIMIT)
        dockerd = "start docker" if os.path.isdir("/run/systemd/system") else "start its dockerd"
        self.check_said("Connection refused", dockerd if "docker" in self.url else "start the engine whose it is")

    def restart_dead(self):
        done = subprocess.run([ROOT / "scripts" / "engine", "start", *FLAGS], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_a_socket_of_others(self):
        path = Engine().path
        where = pathlib.Path(self.home.name, "docker.sock" if "--docker" in FLAGS else "podman.sock")
        binary = pathlib.Path(self.home.name, "cordon")
        shutil.copy(CORDON, binary)
        where.touch()
        os.chmod(self.home.name, 0o777)
        mounts = ["unshare", "--mount", "--propagation", "private", "sh", "-c", 'mount --bind "$0" "$1" && shift && exec "$@"', path, where]
        user = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups", "env", "MCP_BRIDGE_RUNTIME_SOCKET=unix://%s" % where]
        environment = {**os.environ, "HOME": self.home.name, "MCP_BRIDGE_STATE_DIR": self.home.name + "/state"}
        ended = subprocess.run([*mounts, *user, binary, "exec", "-"], input="", capture_output=True, text=True, timeout=LIMIT, env=environment)
        self.assertEqual(ended.returncode, 125, ended.stderr)
        self.assertIn("Permission denied", ended.stderr)
        self.assertIn("usermod -aG docker" if "--docker" in FLAGS else "use podman as this user: ", ended.stderr)


class OwnPodman(Case):
    """A podman of the test's own, with storage where it is wanted."""

    def serve(self, *words, prefix=(), env=None):
        socket = pathlib.Path(self.home.name, "p.sock")
        process = subprocess.Popen([*prefix, "podman", *words, "system", "service", "--time=0", "unix://%s" % socket], stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=env)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        until(socket.exists, limit=LIMIT)
        self.url = "unix://%s" % socket

    def import_image(self, tar):
        script = '. scripts/lib.sh; engine_import "$0" "$1" "$2"'
        subprocess.run(["bash", "-ec", script, self.url[len("unix://"):], tar, os.environ["MCP_BRIDGE_IMAGE"]], cwd=ROOT, check=True,
                       stdout=subprocess.DEVNULL)

    def image(self):
        return subprocess.run(["bash", "-ec", '. scripts/lib.sh; image_tar python "$(debian_release)"'], cwd=ROOT, check=True, text=True,
                              stdout=subprocess.PIPE).stdout.strip()

    def test_a_disk_that_is_full(self):
        disk = pathlib.Path(self.home.name, "disk")
        disk.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=300m", "tmpfs", disk], check=True)
        self.addCleanup(lambda: subprocess.run(["umount", "-R", "-l", disk]))
        self.serve("--root", disk / "root", "--runroot", disk / "run", "--tmpdir", disk / "tmp", "--storage-driver", "overlay", "--runtime", "runc",
                   "--cgroup-manager", "cgroupfs")
        self.import_image(self.image())
        self.assertEqual(self.cordon("exec", "-").stdout, "42\n")
        self.assertTrue(disk.is_mount())  # else all of this host's would be filled
        with open(disk / "full", "wb") as full:
            try:
                for _ in range(300):
                    full.write(bytes(1 << 20))
                    full.flush()
            except OSError:
                pass
        self.check_said("no space left on device", "podman system prune --all")

    def test_a_user_without_subordinate_uids(self):
        name = "cordon-bare"
        subprocess.run(["useradd", "--create-home", "--shell", "/usr/sbin/nologin", name], check=True)
        remove = ["userdel", "--remove", name]  # not while a process of his is still ending
        self.addCleanup(until, lambda: subprocess.run(remove, stderr=subprocess.DEVNULL).returncode == 0, every=0.2)
        for path in ("/etc/subuid", "/etc/subgid"):
            subprocess.run(["sed", "-i", "/^%s:/d" % name, path], check=True)
        user = pwd.getpwnam(name)
        config = pathlib.Path(user.pw_dir, ".config", "containers")
        config.mkdir(parents=True)
        (config / "storage.conf").write_text('[storage]\ndriver = "overlay"\n')
        (config / "containers.conf").write_text('[engine]\nruntime = "runc"\ncgroup_manager = "cgroupfs"\nevents_logger = "file"\n')
        for path in (self.home.name, user.pw_dir + "/.config", config):
            os.chown(path, user.pw_uid, user.pw_gid)
        self.addCleanup(self.end_processes_of, user.pw_uid)
        self.serve(prefix=["setpriv", "--reuid=" + name, "--regid=" + name, "--init-groups"],
                   env={"HOME": user.pw_dir, "USER": name, "PATH": os.environ["PATH"], "XDG_RUNTIME_DIR": self.home.name})
        flat = pathlib.Path(self.home.name, "flat.tar")  # all of it root's: others could not even be imported
        with tempfile.TemporaryDirectory(prefix="cordon-flat-") as folder:
            subprocess.run(["tar", "-C", folder, "-xf", self.image()], check=True)
            subprocess.run(["tar", "--owner=0", "--group=0", "--numeric-owner", "-C", folder, "-cf", flat, "."], check=True)
        self.import_image(flat)
        self.check_said("unable to setup user", "usermod --add-subuids")
        self.assertIn("ADVICE   this user has no subordinate uids", self.cordon("doctor").stdout)

    def end_processes_of(self, uid):
        for each in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if each.stat().st_uid == uid:
                    os.kill(int(each.name), signal.SIGKILL)
            except OSError:
                pass


if __name__ == "__main__":
    unittest.main()
