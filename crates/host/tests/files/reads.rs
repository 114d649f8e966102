//! Reads: lines, limits, and unchanged text.

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use attache_host::files::{FileError, FileLimits, Files};
use expect_test::{Expect, expect};
use libtest_mimic::Trial;

use crate::suite::trial;
use crate::tree::{TestTree, outcome};

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("lines_are_counted_from_one", lines),
        trial("text_is_returned_unchanged", as_it_is),
        trial("a_file_that_is_not_text_is_refused", not_text),
        trial("special_files_are_refused_at_once", special),
        trial("a_read_ends_at_its_limit", limits),
        trial("a_file_over_the_limit_gives_a_small_window", window),
        trial("a_huge_file_is_refused_at_once", huge),
        trial("a_file_that_is_replaced_is_never_mixed", replaced),
        trial("a_file_that_is_rewritten_is_never_mixed", rewritten),
        trial("a_log_that_grows_can_be_read", appended),
        trial("ten_thousand_reads_leave_nothing_open", nothing_left_open),
    ]
}

fn check(lines: &str, tried: &str, expected: Expect) {
    let tree = TestTree::new(lines);
    expected.assert_eq(&tree.tried(&Files::default(), &tree.roots(), tried));
}

fn lines() {
    check(
        "file ws/f one\\ntwo\\nthree\\n\nfile ws/open one\\ntwo\nfile ws/empty ",
        "read @/ws/f
         read @/ws/f 0
         read @/ws/f 1
         read @/ws/f 2
         read @/ws/f 3
         read @/ws/f 4
         read @/ws/f 4294967295
         read @/ws/f 1 0
         read @/ws/f 0 1
         read @/ws/f 2 1
         read @/ws/f 2 2
         read @/ws/f 3 2
         read @/ws/f 2 4294967295
         read @/ws/f 4294967295 4294967295
         read @/ws/open 2
         read @/ws/open 2 1
         read @/ws/open 3
         read @/ws/empty
         read @/ws/empty 1 1",
        expect![[r#"
            read @/ws/f: "one\ntwo\nthree\n"
            read @/ws/f 0: "one\ntwo\nthree\n"
            read @/ws/f 1: "one\ntwo\nthree\n"
            read @/ws/f 2: "two\nthree\n"
            read @/ws/f 3: "three\n"
            read @/ws/f 4: ""
            read @/ws/f 4294967295: ""
            read @/ws/f 1 0: ""
            read @/ws/f 0 1: "one\n"
            read @/ws/f 2 1: "two\n"
            read @/ws/f 2 2: "two\nthree\n"
            read @/ws/f 3 2: "three\n"
            read @/ws/f 2 4294967295: "two\nthree\n"
            read @/ws/f 4294967295 4294967295: ""
            read @/ws/open 2: "two"
            read @/ws/open 2 1: "two"
            read @/ws/open 3: ""
            read @/ws/empty: ""
            read @/ws/empty 1 1: ""
        "#]],
    );
}

fn as_it_is() {
    check(
        "file ws/f \u{feff}a\\r\\nb\\rc\\n\u{e9}e\u{301}\u{200b}",
        "read @/ws/f
         read @/ws/f 1 1
         read @/ws/f 2",
        expect![[r#"
            read @/ws/f: "\u{feff}a\r\nb\rc\née\u{301}\u{200b}"
            read @/ws/f 1 1: "\u{feff}a\r\n"
            read @/ws/f 2: "b\rc\née\u{301}\u{200b}"
        "#]],
    );
}

fn not_text() {
    let tree = TestTree::new("file ws/zero a\\nb\\0c");
    fs::write(tree.path("@/ws/latin"), b"fine\ncaf\xe9\n").unwrap();
    fs::write(tree.path("@/ws/cut"), "\u{e9}".as_bytes().split_at(1).0).unwrap();
    let tried = "
        read @/ws/zero
        read @/ws/zero 1 1
        read @/ws/latin
        read @/ws/latin 2
        read @/ws/latin 1 1
        read @/ws/cut";
    expect![[r#"
        read @/ws/zero: -32602 not_text
        read @/ws/zero 1 1: -32602 not_text
        read @/ws/latin: -32602 not_text
        read @/ws/latin 2: -32602 not_text
        read @/ws/latin 1 1: "fine\n"
        read @/ws/cut: -32602 not_text
    "#]]
    .assert_eq(&tree.tried(&Files::default(), &tree.roots(), tried));
}

fn special() {
    let start = Instant::now();
    check(
        "fifo ws/pipe\nsocket ws/socket\ndir ws/dir\nlink ws/zero /dev/zero\nlink ws/to-pipe pipe",
        "read @/ws/pipe
         read @/ws/to-pipe
         read @/ws/socket
         read @/ws/dir
         read @/ws/zero
         write @/ws/pipe x
         write @/ws/to-pipe x
         write @/ws/socket x
         write @/ws/dir x
         write @/ws/zero x",
        expect![[r#"
            read @/ws/pipe: -32602 wrong_kind
            read @/ws/to-pipe: -32602 wrong_kind
            read @/ws/socket: -32602 wrong_kind
            read @/ws/dir: -32602 wrong_kind
            read @/ws/zero: -32602 outside
            write @/ws/pipe x: -32602 wrong_kind
            write @/ws/to-pipe x: -32602 wrong_kind
            write @/ws/socket x: -32602 wrong_kind
            write @/ws/dir x: -32602 wrong_kind
            write @/ws/zero x: -32602 outside
        "#]],
    );
    assert!(start.elapsed() < Duration::from_secs(1));
}

fn limits() {
    let tree =
        TestTree::new("file ws/five 12345\nfile ws/six 123456\nfile ws/lines 12\\n34\\n56\\n");
    let limits = FileLimits::default().read(5).write(5).search(7);
    let files = Files::new(limits, &[]);
    let tried = "
        read @/ws/five
        read @/ws/six
        read @/ws/lines
        read @/ws/lines 1 1
        read @/ws/lines 1 2
        read @/ws/lines 2
        read @/ws/lines 3
        read @/ws/lines 9
        write @/ws/new 12345
        write @/ws/new 123456
        write @/ws/five 123456";
    expect![[r#"
        read @/ws/five: "12345"
        read @/ws/six: -32602 too_large
        read @/ws/lines: -32602 too_large
        read @/ws/lines 1 1: "12\n"
        read @/ws/lines 1 2: -32602 too_large
        read @/ws/lines 2: -32602 too_large
        read @/ws/lines 3: -32602 too_large
        read @/ws/lines 9: -32602 too_large
        write @/ws/new 12345: "written"
        write @/ws/new 123456: -32602 too_large
        write @/ws/five 123456: -32602 too_large
    "#]]
    .assert_eq(&tree.tried(&files, &tree.roots(), tried));
    let error = files.read(&tree.roots(), &tree.path("@/ws/six"), None, None);
    let told = error.unwrap_err().to_string();
    expect!["`@/ws/six` is too large: 6 bytes, the limit is 5; ask for fewer lines with `line` and `limit`"].assert_eq(&told.replace(tree.top.to_str().unwrap(), "@"));
}

fn window() {
    let tree = TestTree::new("");
    let lines: String = (1..=2_000_000)
        .map(|number| format!("line {number}\n"))
        .collect();
    fs::write(tree.path("@/ws/f"), lines).unwrap();
    let tried = "
        read @/ws/f
        read @/ws/f 1 2
        read @/ws/f 1000000 2
        read @/ws/f 2000000
        read @/ws/f 2000000 9
        read @/ws/f 2000001";
    expect![[r#"
        read @/ws/f: -32602 too_large
        read @/ws/f 1 2: "line 1\nline 2\n"
        read @/ws/f 1000000 2: "line 1000000\nline 1000001\n"
        read @/ws/f 2000000: "line 2000000\n"
        read @/ws/f 2000000 9: "line 2000000\n"
        read @/ws/f 2000001: ""
    "#]]
    .assert_eq(&tree.tried(&Files::default(), &tree.roots(), tried));
}

fn huge() {
    let tree = TestTree::new("file ws/huge first\\nsecond\\n");
    let file = File::options()
        .write(true)
        .open(tree.path("@/ws/huge"))
        .unwrap();
    file.set_len(1 << 40).unwrap();
    let exact = File::create(tree.path("@/ws/ten")).unwrap();
    (&exact).write_all(&vec![b'x'; 10 << 20]).unwrap();
    let more = File::create(tree.path("@/ws/more")).unwrap();
    (&more).write_all(&vec![b'x'; (10 << 20) + 1]).unwrap();
    let roots = tree.roots();
    let tried = "
        read @/ws/huge
        read @/ws/huge 2
        read @/ws/huge 1 2
        read @/ws/more
        read @/ws/more 1 1";
    expect![[r#"
        read @/ws/huge: -32602 too_large
        read @/ws/huge 2: -32602 not_text
        read @/ws/huge 1 2: -32602 not_text
        read @/ws/more: -32602 too_large
        read @/ws/more 1 1: -32602 too_large
    "#]]
    .assert_eq(&tree.tried(&Files::default(), &roots, tried));
    let ten = Files::default().read(&roots, &tree.path("@/ws/ten"), None, None);
    assert_eq!(ten.unwrap().len(), 10 << 20);
}

/// Another process replaces the file during a read; the result is the old text or the new one.
fn replaced() {
    let tree = TestTree::new("file ws/f a");
    let (roots, files, path) = (tree.roots(), Files::default(), tree.path("@/ws/f"));
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for length in 1..1000 {
                let other = path.with_extension("new");
                fs::write(&other, "b".repeat(length * 100)).unwrap();
                fs::rename(&other, &path).unwrap();
            }
            is_over.store(true, Ordering::Relaxed);
        });
        while !is_over.load(Ordering::Relaxed) {
            let text = files.read(&roots, &path, None, None).unwrap();
            assert!(text == "a" || text.len() % 100 == 0, "{} bytes", text.len());
        }
    });
}

/// Another process increments a number in the file's last line and then in its first. A consistent snapshot has the
/// same number twice, or the next one at the end.
fn rewritten() {
    let tree = TestTree::new("");
    let (roots, files, path) = (tree.roots(), Files::default(), tree.path("@/ws/f"));
    let filler = "x".repeat(2 << 20);
    fs::write(&path, format!("{:08}\n{filler}\n{:08}", 0, 0)).unwrap();
    let count = |number: u32| {
        let file = File::options().write(true).open(&path).unwrap();
        let (number, end) = (format!("{number:08}"), file.metadata().unwrap().len());
        file.write_all_at(number.as_bytes(), end - 8).unwrap();
        file.write_all_at(number.as_bytes(), 0).unwrap();
        file.metadata().unwrap().modified().unwrap()
    };
    if count(1) == count(2) {
        eprintln!("skipped: the file system's clock is too coarse to tell that a file was written");
        return;
    }
    let ends = || {
        let text = files.read(&roots, &path, None, None)?;
        let (first, last) = (&text[..8], &text[text.len() - 8..]);
        let [first, last] = [first, last].map(|number| number.parse::<u32>().unwrap());
        Ok::<u32, FileError>(last.abs_diff(first))
    };
    let is_over = AtomicBool::new(false);
    let seen = std::thread::scope(|scope| {
        scope.spawn(|| {
            for number in (3..).take_while(|_| !is_over.load(Ordering::Relaxed)) {
                count(number);
            }
        });
        let seen: Vec<_> = (0..20).map(|_| ends()).collect();
        is_over.store(true, Ordering::Relaxed);
        seen
    });
    for difference in seen {
        match difference {
            Ok(difference) => assert!(difference < 2, "{difference} writes apart"),
            Err(error) => assert!(matches!(error, FileError::Changing { .. }), "{error}"),
        }
    }
    assert_eq!(ends().unwrap(), 0);
}

fn appended() {
    let tree = TestTree::new("file ws/log line\\n");
    let (roots, files, path) = (tree.roots(), Files::default(), tree.path("@/ws/log"));
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut log = File::options().append(true).open(&path).unwrap();
            while !is_over.load(Ordering::Relaxed) && log.metadata().unwrap().len() < 9 << 20 {
                log.write_all(b"line\n").unwrap();
            }
        });
        // A line that is just being written can be cut at a page boundary of the file.
        let is_whole = |text: &str| {
            let (lines, last) = text.rsplit_once('\n').unwrap_or(("", text));
            lines.lines().all(|line| line == "line") && "line".starts_with(last)
        };
        let reads = (0..200).map(|_| files.read(&roots, &path, None, None));
        let whole = reads
            .filter(|read| matches!(read, Ok(text) if is_whole(text)))
            .count();
        is_over.store(true, Ordering::Relaxed);
        assert_eq!(whole, 200);
    });
}

fn nothing_left_open() {
    let tree =
        TestTree::new("file ws/f text\nlink ws/link @/ws/f\nlink ws/out /etc/passwd\nfifo ws/pipe");
    let (roots, files) = (tree.roots(), Files::default());
    // Other tests open files too; a leak is found again and again.
    let open_below = || {
        let open = fs::read_dir("/proc/self/fd").unwrap();
        let targets = open.filter_map(|entry| fs::read_link(entry.unwrap().path()).ok());
        targets
            .filter(|target| target.starts_with(&tree.top))
            .count()
    };
    let before = open_below();
    for _ in 0..2_500 {
        for path in ["@/ws/f", "@/ws/link", "@/ws/out", "@/ws/pipe"] {
            outcome(files.read(&roots, &tree.path(path), None, None));
        }
    }
    assert_eq!(before, open_below());
}
