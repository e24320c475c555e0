"""A pull for which the engine's disk has no room: the message names the disk and what makes room, nothing of the image stays, and with room
the next pull works. The engine is one of the test's own, on a disk whose size the test sets."""
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from own_engine import OwnEngine  # noqa: E402
from registry_case import RegistryCase  # noqa: E402

FLAGS = os.environ.get("CORDON_ENGINE_FLAGS", "").split()
MB = 1 << 20
LAYER = 48 * MB
CRUMBS = MB // 2  # what an engine writes down of a pull


def setUpModule():
    if os.getuid() != 0:
        raise unittest.SkipTest("needs root: the engine's disk is made in a mount namespace")


class Disk(RegistryCase):
    @classmethod
    def make_engine(cls):
        cls.own = OwnEngine(*FLAGS)
        cls.addClassCleanup(cls.own.close)
        return cls.own.engine

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.registry.put_image("team/large", "v1", os.urandom(LAYER))
        cls.large = cls.registry.host + "/team/large:v1"

    def setUp(self):
        super().setUp()
        self.logged_in()
        self.addCleanup(self.drop, self.large)

    def environment(self, **more):
        return super().environment(**self.own.settings, **more)

    def no_room(self, *words):
        said = self.refused(self.large, "no space left on device", " → ", *words)
        self.assertNotIn("login", said)

    def test_a_disk_that_is_full_is_named_and_with_room_the_next_pull_works(self):
        before = self.own.used()
        # too small for what is loaded, and for what that is unpacked to: Docker and podman keep the first on different disks
        for free in (20 * MB, LAYER + 12 * MB) if not self.engine.podman else (20 * MB,):
            with self.subTest(free=free):
                self.own.leave(free)
                self.no_room("the engine's disk is full: that of ", "/storage, on its host", "system prune --all", "df -h ")
                self.assertLess(self.own.used() - before, CRUMBS)
        self.own.leave(4 * LAYER)
        self.pull(self.large)

    def test_podmans_disk_for_what_it_loads(self):
        if not self.engine.podman or FLAGS:
            self.skipTest("only podman loads to /var/tmp; with another release than the host's it is that of an unpacked tree")
        self.own.leave(4 * LAYER)
        self.own.leave(20 * MB, "/var/tmp")
        self.no_room("/var/tmp of the engine's host is full", "image_copy_tmp_dir")
        self.assertLess(self.own.used("/var/tmp"), CRUMBS)
        self.own.leave(4 * LAYER, "/var/tmp")
        self.pull(self.large)


if __name__ == "__main__":
    unittest.main()
