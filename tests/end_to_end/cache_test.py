# cache_test.py: what the kernel keeps of buffered files, and how much of them it reads ahead.
import ctypes
import mmap
import os
import resource
import unittest

import harness

MIB = 1 << 20
PAGES = MIB // mmap.PAGESIZE
SKIPPED = "this file system is in memory, or keeps its files elsewhere than in the page cache"


def cached_pages(path):
    """Pages of a file that are in the page cache."""
    libc = ctypes.CDLL(None, use_errno=True)
    with open(path, "r+b") as file, mmap.mmap(file.fileno(), 0) as mapped:
        pages = len(mapped) // mmap.PAGESIZE
        states = (ctypes.c_ubyte * pages)()
        start = ctypes.c_char.from_buffer(mapped)
        answer = libc.mincore(ctypes.c_void_p(ctypes.addressof(start)), ctypes.c_size_t(len(mapped)), states)
        del start  # or the mapping could not be closed
        if answer != 0:
            raise OSError(ctypes.get_errno(), "mincore")
        return sum(state & 1 for state in states)


class Cache(harness.Case):
    def setUp(self):
        super().setUp()
        self.run_json("--name=w", "--rw=write", "--bs=64k", "--size=4m", "--end_fsync=1", "--filename=a.dat")
        self.file = self.folder / "a.dat"
        with open(self.file, "rb") as file:
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        if cached_pages(self.file) != 0:
            self.skipTest(SKIPPED)

    def cached_after(self, *options):
        self.run_json("--name=t", "--bs=4k", "--size=4m", "--io_size=2m", "--filename=a.dat", *options)
        return cached_pages(self.file)

    def assert_cached(self, pages, expected):
        """All that was asked for and no more, but for what the kernel took back since: it may at any time."""
        self.assertLessEqual(pages, expected)
        self.assertGreater(pages, 0.9 * expected)

    @unittest.skipIf(mmap.PAGESIZE != 4096, "a block of 4 KiB is part of a page")
    def test_a_random_job_has_no_page_read_that_it_did_not_ask_for(self):
        for engine in ("psync", "io_uring", "mmap"):
            for hint in ((), ("--fadvise_hint=random",)):
                with self.subTest(engine, hint=hint):
                    self.assert_cached(self.cached_after(f"--ioengine={engine}", "--rw=randread", *hint), 2 * PAGES)

    @unittest.skipIf(mmap.PAGESIZE != 4096, "a block of 4 KiB is part of a page")
    def test_without_the_hint_or_against_it_the_kernel_reads_ahead(self):
        for engine in ("psync", "mmap"):
            for hint in ("0", "sequential"):
                with self.subTest(engine, fadvise_hint=hint):
                    pages = self.cached_after(f"--ioengine={engine}", "--rw=randread", f"--fadvise_hint={hint}")
                    self.assertGreater(pages, 2 * PAGES)

    @unittest.skipIf(mmap.PAGESIZE != 4096, "a block of 4 KiB is part of a page")
    def test_a_sequential_job_is_read_ahead_of(self):
        for engine in ("psync", "mmap"):
            with self.subTest(engine):
                self.assertGreater(self.cached_after(f"--ioengine={engine}", "--rw=read"), 2 * PAGES)
                self.assert_cached(self.cached_after(f"--ioengine={engine}", "--rw=read", "--fadvise_hint=random"), 2 * PAGES)

    def sectors_read(self, *options):
        """Of 512 bytes, from the disk, beside what the program itself is made of; and the job's result."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_inblock
        run = self.run_json("--name=t", "--bs=4k", "--size=4m", "--filename=a.dat", *options)
        return resource.getrusage(resource.RUSAGE_CHILDREN).ru_inblock - before, run["jobs"][0]

    def test_each_pass_over_a_buffered_file_comes_from_the_disk_and_is_whole(self):
        file = 4 * MIB // 512
        if self.sectors_read("--rw=read")[0] < file:
            self.skipTest("the kernel does not count what this file system reads")
        for engine, more in (("psync", ()), ("mmap", ()), ("io_uring", ("--iodepth=8",)), ("libaio", ("--iodepth=8",)),
                             ("libaio", ("--iodepth=8", "--iodepth_batch_submit=4", "--iodepth_batch_complete_min=4"))):
            for rw in ("randread", "read"):
                for passes in ("--loops=3", "--io_size=12m"):
                    with self.subTest(engine, rw=rw, passes=passes):
                        sectors, job = self.sectors_read(f"--ioengine={engine}", f"--rw={rw}", passes, *more)
                        self.assertGreaterEqual(sectors, 3 * file)
                        self.assertEqual(job["read"]["total_ios"], 3 * 1024)
                        self.assert_cached(cached_pages(self.file), 4 * PAGES)  # none was left out of the last pass

    def test_a_pass_ends_where_it_does_whatever_was_issued_before_it_counts(self):
        """With a ramp the counted bytes end in the middle of a pass; syncs stand between the writes."""
        for engine in ("psync", "io_uring"):
            with self.subTest(engine):
                _, job = self.sectors_read(f"--ioengine={engine}", "--rw=randrw", "--loops=2", "--ramp_time=100ms",
                                           "--iodepth=4", "--fsync=16")
                self.assertEqual(job["read"]["total_ios"] + job["write"]["total_ios"], 2 * 1024)
                self.assertGreaterEqual(job["sync"]["total_ios"], job["write"]["total_ios"] // 16 - 1)

    def test_caches_are_dropped_once_where_the_job_says_so_or_has_no_passes(self):
        file = 4 * MIB // 512
        for options in (("--invalidate=0", "--rw=read", "--loops=3"), ("--rw=randread", "--norandommap", "--loops=3")):
            with self.subTest(options):
                self.assertLess(self.sectors_read(*options)[0], 2 * file)

    def sectors_written(self, *options):
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_oublock
        # One block again and again, which the kernel would write once.
        self.run_json("--name=t", "--bs=4k", "--size=4k", "--io_size=1m", "--rw=write", "--invalidate=0", "--filename=a.dat",
                      *options)
        return resource.getrusage(resource.RUSAGE_CHILDREN).ru_oublock - before

    def test_with_direct_each_write_to_a_mapping_goes_to_the_disk(self):
        """Beyond what a program writes without it, which with the thread sanitizer is half a MiB."""
        beyond = self.sectors_written("--ioengine=mmap", "--direct=1") - self.sectors_written("--ioengine=mmap")
        self.assertGreater(beyond, MIB // 512 * 3 // 4)


if __name__ == "__main__":
    harness.main()
