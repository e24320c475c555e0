"""A unittest.TestCase with one Cordon for all of its tests, which leaves nothing behind."""
import os
import pathlib
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cordon_client import Cordon, Engine, until  # noqa: E402

ODD = {"command": sys.executable, "args": [str(pathlib.Path(__file__).resolve().parents[1] / "fakes" / "odd.py")]}


class Case(unittest.TestCase):
    servers, flags, env = None, (), None

    @classmethod
    def setUpClass(cls):
        cls.engine = Engine()
        cls.cordon = Cordon(*cls.flags, servers=cls.servers, env=cls.env)

    @classmethod
    def tearDownClass(cls):
        instances, children = cls.cordon.instances(), cls.cordon.children()
        try:
            assert cls.cordon.end() == 0, cls.cordon.log()
            until(lambda: not any(pathlib.Path("/proc", str(pid)).exists() for pid in children))
            # the last ones are removed by a process that outlives it
            until(lambda: not [name for instance in instances for name in cls.engine.containers("io.cordon.instance=" + instance)])
            assert cls.cordon.not_json == [], cls.cordon.not_json
        finally:
            cls.cordon.close()

    def check(self, code, **arguments):
        """The text of a run that succeeds."""
        result = self.cordon.run(code, **arguments)
        self.assertEqual(result.status, "success", result)
        return result.text

    def value(self, code, **arguments):
        """What the program's last expression is, as repr."""
        return self.check(code, **arguments).splitlines()[-1]

    def fails(self, code, *words, **arguments):
        """A run that does not succeed, and says these words."""
        result = self.cordon.run(code, **arguments)
        self.assertTrue(result.is_error, result)
        for word in words:
            self.assertIn(word, result.text)
        return result
