"""What makes calls fast, in real containers: the first container that is made early, bursts that are foreseen, modules that are imported early."""
import concurrent.futures
import json
import os
import pathlib
import sys
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cordon_client import Cordon, Engine, LIMIT, until  # noqa: E402

EARLY = "\nimport sys\nprint(any(hasattr(each, 'edges') for each in getattr(sys, 'meta_' + 'path')))"


class FirstContainer(unittest.TestCase):
    def setUp(self):
        self.engine = Engine()

    def test_it_is_made_when_a_client_comes(self):
        with Cordon(env={"CORDON_PREWARM": "1"}) as cordon:
            until(lambda: len(cordon.containers(self.engine)) == 1, LIMIT)
            waiting = cordon.containers(self.engine)[0]
            until(lambda: self.engine.processes(waiting), LIMIT)
            running = cordon.start_run("import time\ntime.sleep(3)")[1]
            until(lambda: len(cordon.containers(self.engine)) == 2, LIMIT)
            self.assertIn(waiting, cordon.containers(self.engine))  # the call runs in it, and the next one waits
            self.assertFalse(running.done())
            running.result(LIMIT)

    def test_not_if_that_is_off_nor_without_a_pool(self):
        for flags in (("--prewarm", "0"), ("--prewarm", "1", "--pool", "0")):
            with Cordon(*flags) as cordon:
                cordon.request("tools/list")
                time.sleep(1.5)  # in which nothing may happen
                self.assertEqual(cordon.containers(self.engine), [], flags)

    def test_an_image_that_is_not_there_is_not_pulled_for_it(self):
        with Cordon("--image", "localhost/no-such-image:1", env={"CORDON_PREWARM": "1", "CORDON_LOG_LEVEL": "info"}) as cordon:
            cordon.request("tools/list")
            time.sleep(1)  # in which nothing may happen
            self.assertNotIn("pulling", cordon.log())
            self.assertIn("no-such-image", cordon.run("print(1)").text)

    def test_who_goes_at_once_leaves_nothing(self):
        for _ in range(5):
            with Cordon(env={"CORDON_PREWARM": "1"}) as cordon:
                pass
            self.assertEqual(cordon.containers(self.engine), [])


class Bursts(unittest.TestCase):
    def test_what_was_wanted_twice_is_kept_warm(self):
        engine = Engine()
        with Cordon() as cordon, concurrent.futures.ThreadPoolExecutor(4) as threads:
            for _ in range(3):
                texts = list(threads.map(lambda number: cordon.run("print(%d)" % number).text, range(4)))
                self.assertEqual(texts, ["0\n", "1\n", "2\n", "3\n"])
                time.sleep(2)  # a burst ends by a pause
            until(lambda: len(cordon.containers(engine)) == 4, LIMIT)


class EarlyModules(unittest.TestCase):
    def waited(self, cordon, code):
        """The result of a program in a container that has waited for a while."""
        cordon.run("print(1)")
        time.sleep(2)  # it imports while nobody waits, and nobody is told
        return cordon.run(code)

    def test_named_ones_are_at_hand(self):
        with Cordon("--preload", "http.client,unittest.mock") as cordon:
            self.assertEqual(self.waited(cordon, "import http.client\nprint(http.client.OK.value)" + EARLY).text, "200\nTrue\n")
            self.assertEqual(self.waited(cordon, "print(2)" + EARLY).text, "2\nFalse\n")

    def test_what_runs_import_is_learned_and_kept(self):
        with Cordon() as cordon:
            cordon.run("import unittest.mock")
            file = next(pathlib.Path(cordon.home.name, "state", "early-modules").glob("*.json"))
            self.assertIn("unittest.mock", json.loads(file.read_text())["modules"])
            self.assertEqual(file.stat().st_mode & 0o777, 0o600)
            self.waited(cordon, "")
            module = json.loads(file.read_text())["modules"]["unittest.mock"]
            self.assertGreaterEqual(module["ms"], 0)

    def test_nothing_where_that_is_off_or_memory_is_tight(self):
        for flags in (("--preload", "none"), ("--memory", "128m")):
            with Cordon(*flags) as cordon:
                cordon.run("import unittest.mock")
                self.assertEqual(self.waited(cordon, "import unittest.mock\nprint(1)" + EARLY).text, "1\nFalse\n", flags)


if __name__ == "__main__":
    unittest.main()
