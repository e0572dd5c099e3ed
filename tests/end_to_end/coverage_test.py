# coverage_test.py: which blocks a job touches, seen by an engine that writes down every I/O.
# usage: coverage_test.py CHRONIO TALLY_PLUGIN
import os
import sys
from collections import Counter

import harness

TALLY = os.path.abspath(sys.argv.pop(2))
BS = 4096


class Coverage(harness.Case):
    def tally(self, *args):
        """[(ddir, offset, len)] of every I/O of one run, in the order of the engine's queue."""
        (self.folder / "t.txt").unlink(missing_ok=True)  # the engine adds to the file
        self.run_well("--name=t", f"--ioengine=external:{TALLY}", "--tally_file=t.txt", f"--bs={BS}", *args)
        lines = (self.folder / "t.txt").read_text().splitlines()
        return [(ddir, int(offset), int(length)) for ddir, offset, length in map(str.split, lines)]

    def test_random_reads_of_64_mib_touch_each_block_once(self):
        ios = self.tally("--rw=randread", "--size=64m", "--iodepth=16")
        self.assertEqual(len(ios), 16384)
        self.assertEqual({offset for _, offset, _ in ios}, set(range(0, 64 << 20, BS)))
        self.assertNotEqual([offset for _, offset, _ in ios], sorted(offset for _, offset, _ in ios))

    def test_sequential_writes_come_in_order(self):
        ios = self.tally("--rw=write", "--size=1m")
        self.assertEqual(ios, [("write", offset, BS) for offset in range(0, 1 << 20, BS)])

    def test_loops_make_whole_passes(self):
        ios = self.tally("--rw=randread", "--size=1m", "--loops=3")
        self.assertEqual(set(Counter(offset for _, offset, _ in ios).values()), {3})

    def test_norandommap_draws_with_replacement(self):
        ios = self.tally("--rw=randread", "--size=4m", "--norandommap")
        self.assertEqual(len(ios), 1024)
        self.assertLess(len({offset for _, offset, _ in ios}), 1000)

    def test_offset_and_size_are_never_left(self):
        ios = self.tally("--rw=randrw", "--offset=1m", "--size=1m", "--loops=4")
        self.assertTrue(all((1 << 20) <= offset <= (2 << 20) - BS for _, offset, _ in ios))

    def test_mixes_touch_each_block_once_between_them(self):
        ios = self.tally("--rw=randrw", "--size=4m")
        self.assertEqual({offset for _, offset, _ in ios}, set(range(0, 4 << 20, BS)))
        self.assertEqual(len(ios), 1024)
        self.assertEqual({ddir for ddir, _, _ in ios}, {"read", "write"})

    def test_seeds_decide_the_order(self):
        orders = {}
        for seed in range(8):
            run = [self.tally("--rw=randread", "--size=256k", f"--randseed={seed}") for _ in range(2)]
            self.assertEqual(run[0], run[1])
            orders[seed] = tuple(run[0])
        self.assertEqual(len(set(orders.values())), 8)

    def test_a_sync_follows_every_so_many_writes(self):
        ios = self.tally("--rw=write", "--size=64k", "--fsync=4")
        kinds = [ddir for ddir, _, _ in ios]
        self.assertEqual(kinds, (["write"] * 4 + ["sync"]) * 4)


if __name__ == "__main__":
    harness.main()
