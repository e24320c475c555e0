"""System: multiprocessing by each start method, where the child's Python must come by the program's definitions in another way."""
import types
import unittest
from multiprocessing import pool as plain_pool

import units  # noqa: F401
from _cordon import children
from host import Guest

METHODS = ("fork", "spawn", "forkserver")


class Children(unittest.TestCase):
    def each(self, calls, stdout, methods=METHODS):
        """The calls of one session, %(method)s filled in; what the last one prints."""
        for method in methods:
            with self.subTest(method), Guest() as guest:
                guest.run("import multiprocessing\nmp = multiprocessing.get_context(%r)" % method, session=True)
                for code in calls:
                    result = guest.run(code, session=True, timeout=15)
                self.assertEqual((result.status, result.stdout), ("success", stdout), result)

    def test_a_function_of_an_earlier_call(self):
        self.each(["def double(x): return 2 * x", "with mp.Pool(2) as pool: print(pool.map(double, [1, 2]))",
                   "def triple(x): return double(x) + x\nwith mp.Pool(2) as pool: print(pool.map(triple, [1, 2]))"], "[3, 6]\n")

    def test_without_a_guard(self):
        self.each(["print('once')\ndef f(x): return x + 1\nwith mp.Pool(2) as pool: print(pool.map(f, [1, 2]))"], "once\n[2, 3]\n")

    def test_with_a_guard_in_a_later_call(self):
        self.each(["def f(x): return x + K", "K = 5\nif __name__ == '__main__':\n    with mp.Pool(1) as pool: print(pool.map(f, [1]))"], "[6]\n")

    def test_with_top_level_await(self):
        self.each(["import asyncio\nawait asyncio.sleep(0)\nclass A:\n    def f(self): return 7\ndef g(a): return a.f()\nwith mp.Pool(1) as pool: print(pool.map(g, [A()]))"],
                  "[7]\n")

    def test_values_that_functions_use(self):
        self.each(["import datetime\nfrom functools import partial\nsizes = [n * n for n in range(4)]\nday = datetime.date(2024, 1, int('2'))\ntry:\n    import json\nexcept ImportError:\n    json = None\n"
                   "LIMIT = -1\ndef f(n, k): return json.dumps([sizes[n], str(day), k, LIMIT])\nwith mp.Pool(1) as pool: print(pool.map(partial(f, k=3), [3]))"],
                  "['[9, \"2024-01-02\", 3, -1]']\n")

    def test_future_annotations(self):
        self.each(["from __future__ import annotations\nimport dataclasses\n@dataclasses.dataclass\nclass P:\n    x: Later = 1\ndef f(p): return p.x\n"
                   "with mp.Pool(1) as pool: print(pool.map(f, [P(4)]))"], "[4]\n")

    def test_a_process_and_an_executor(self):
        self.each(["import concurrent.futures as cf\ndef f(q, x): q.put(x + 1)\ndef g(x): return x * x\nq = mp.Queue()\np = mp.Process(target=f, args=(q, 1))\np.start()\nprint(q.get(timeout=10)); p.join()\n"
                   "with cf.ProcessPoolExecutor(1, mp_context=mp) as pool: print(list(pool.map(g, [3])))"], "2\n[9]\n")

    def test_what_the_child_cannot_know_is_said_at_once(self):
        for method in ("spawn", "forkserver"):
            with self.subTest(method), Guest() as guest:
                result = guest.run("import multiprocessing as mp\nfor n in [1]:\n    def hidden(x): return x\nwith mp.get_context(%r).Pool(1) as pool: pool.map(hidden, [1])" % method,
                                   timeout=15)
                self.assertEqual(result.status, "error", result)
                self.assertIn("not 'hidden'", result.error)
                self.assertLess(result.duration_ms, 12_000)

    def test_a_pool_that_was_made_too_early(self):
        for way in ("pool.map(late, [1, 2])", "pool.apply(late, (1,))", "list(pool.imap(late, [1, 2]))", "list(pool.imap_unordered(late, [1]))"):
            with self.subTest(way), Guest() as guest:
                result = guest.run("import multiprocessing as mp\npool = mp.get_context('fork').Pool(1)\ndef late(x): return x\n%s" % way, timeout=15)
                self.assertEqual(result.status, "error", result)
                self.assertIn("before the pool is made", result.error)

    def test_a_process_of_a_pool_that_leaves_its_task_behind(self):
        """Whatever its status: without maxtasksperchild none ends before it is told to."""
        leave = "import multiprocessing as mp, os, sys\ndef leave(x): %s\npool = mp.get_context('fork').Pool(2)\n%s"
        for end in ("sys.exit()", "os._exit(0)", "os._exit(3)", "os.kill(os.getpid(), 9)"):
            for way in ("pool.map(leave, range(9))", "pool.apply(leave, (1,))"):
                with self.subTest(end + way), Guest() as guest:
                    result = guest.run(leave % (end, way), timeout=15)
                    self.assertEqual(result.status, "error", result)
                    self.assertIn("what it was to do is lost", result.error)

    def test_a_pool_that_lost_a_task_can_be_joined(self):
        for way in ("imap", "imap_unordered"):
            with self.subTest(way), Guest() as guest:
                result = guest.run("import multiprocessing as mp, os\ndef f(x): return os._exit(1) if x == 2 else x\npool = mp.get_context('fork').Pool(2)\ndone = pool.%s(f, range(6))\n"
                                   "try:\n    list(done)\nexcept RuntimeError as e: print('lost' in str(e))\npool.close(); pool.join()\nprint('joined')" % way, timeout=15)
                self.assertEqual((result.status, result.stdout), ("success", "True\njoined\n"), result)

    def test_processes_that_end_as_they_should_lose_nothing(self):
        self.each(["def f(x): return x + 1\nwith mp.Pool(2, maxtasksperchild=1) as pool: print(pool.map(f, range(6), chunksize=1))"], "[1, 2, 3, 4, 5, 6]\n", ("fork",))

    def test_the_main_part_runs_once(self):
        self.each(["open('ran', 'a').write('x')\ndef f(x): return x", "with mp.Pool(1) as pool: pool.map(f, [1])\nprint(open('ran').read())"], "x\n")


class Ending:
    """A process whose status becomes known when it is asked for the `known`th time, as one that is ending on a busy machine."""

    def __init__(self, status, known):
        self.status, self.asked, self.known = status, 0, known

    @property
    def exitcode(self):
        self.asked += 1
        return self.status if self.asked >= self.known else None

    def join(self):
        pass


class Watched(unittest.TestCase):
    """Unit: what a pool's thread sees of processes that end at any moment, and results that another thread is giving meanwhile."""

    def setUp(self):
        kind = type("Pool", (), {"_repopulate_pool": lambda self: None, "_state": "RUN", "_maxtasksperchild": None,
                                 "_join_exited_workers": staticmethod(plain_pool.Pool._join_exited_workers)})
        children.patch_pool(types.SimpleNamespace(Pool=kind, TERMINATE="TERMINATE"))
        self.pool = kind()
        self.pool._cache = {}

    def ends(self, *processes):
        self.pool._pool = list(processes)
        self.pool._repopulate_pool()
        result = plain_pool.ApplyResult(self.pool, None, None)
        for _ in range(4):
            self.pool._join_exited_workers(self.pool._pool)
        return result.ready() and not result.successful()

    def test_a_status_that_becomes_known_at_any_moment(self):
        for known in range(1, 5):
            self.assertTrue(self.ends(Ending(1, known)), known)

    def test_what_is_a_loss(self):
        self.assertTrue(self.ends(Ending(0, 1)))
        self.assertFalse(self.ends(Ending(None, 1)))
        self.pool._maxtasksperchild = 3
        self.assertFalse(self.ends(Ending(0, 1)))
        self.assertTrue(self.ends(Ending(-9, 1), Ending(0, 1)))
        self.pool._state = "TERMINATE"
        self.assertFalse(self.ends(Ending(-15, 1)))

    def test_results_that_are_given_twice_break_nothing(self):
        class Taken(dict):
            """Another thread took out what `items` still had."""

            def items(self):
                found = list(super().items())
                self.clear()
                return found
        self.pool._cache = Taken()
        results = [plain_pool.ApplyResult(self.pool, None, None), plain_pool.MapResult(self.pool, 1, 3, None, None),
                   plain_pool.IMapIterator(self.pool), plain_pool.IMapUnorderedIterator(self.pool)]
        children.fail_all(self.pool._cache, "lost")
        for result in results[:2]:
            self.assertRaisesRegex(RuntimeError, "lost", result.get, 0)
        for result in results[2:]:
            result._set_length(1)  # as the thread does that hands out tasks
            self.assertRaisesRegex(RuntimeError, "lost", result.next, 0)
            self.assertRaises(StopIteration, result.next, 0)


if __name__ == "__main__":
    unittest.main()
