//! Measures frame times in a session of 100,000 updates, and the memory of the session. `cargo xtask bench screen` runs
//! this program.
//!
//! ```text
//! screen                        a short session is drawn; nothing is measured
//! screen --bench [--quick]      the table; --quick draws a tenth of the frames
//! ```
//!
//! A frame is everything between two screens: the updates that arrived are applied, the visible part is laid out and
//! drawn, and the terminal library finds the changed cells, on a screen of 120 columns and 40 rows.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a benchmark prints its result and stops at the first surprise"
)]

mod bench_screen;
mod frame_times;
mod session;

use std::env;

use bench_screen::BenchScreen;
use frame_times::FrameTimes;

fn main() {
    let args: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    match words[..] {
        [] => drop(play(2000, 20)),
        ["--bench"] => report(&play(UPDATES, 1)),
        ["--bench", "--quick"] | ["--quick", "--bench"] => report(&play(UPDATES, 10)),
        _ => panic!("unknown arguments {words:?}"),
    }
}

/// Plays a session with typical user actions, drawing one in `thrift` of the frames.
fn play(updates: usize, thrift: usize) -> Vec<FrameTimes> {
    let mut bench = BenchScreen::new();
    let mut figures = vec![
        bench.stream("streaming, at the end", updates - updates / 5),
        bench.stream_elsewhere("streaming, scrolled up", updates / 5),
    ];
    figures.push(bench.stream_long("one message of 1 MB", 400 / thrift));
    bench.settle();
    figures.push(bench.scroll_lines("scrolling by lines", 2000 / thrift));
    figures.push(bench.scroll_pages("scrolling by pages", 2000 / thrift));
    figures.push(bench.jump("jumping to entries", 1000 / thrift));
    figures.push(bench.open("opening and folding", 1000 / thrift));
    figures.push(bench.search("searching", 500 / thrift));
    figures.push(bench.resize("resizing", 300 / thrift));
    println!(
        "{} updates, {} entries, {} in the transcript",
        updates,
        bench.entries(),
        bench.weight()
    );
    figures
}

fn report(all: &[FrameTimes]) {
    println!("{:43} {:>19} {:>19}", "", "on the clock", "own time");
    println!(
        "{:24} {:>7} {:>9} {:>9} {:>9} {:>9} {:>9}",
        "frame time", "frames", "p50", "p99", "max", "p99", "max"
    );
    for figures in all {
        println!("{figures}");
    }
    let wall = all.iter().map(|figures| figures.p99().0).max().unwrap();
    let own = all.iter().map(|figures| figures.p99().1).max().unwrap();
    let [wall, own] = [wall, own].map(frame_times::shown);
    println!("worst p99: {wall} on the clock, {own} of its own (target: below 8 ms)");
    match frame_times::resident() {
        Some((now, peak)) => {
            println!("resident: {now} MB, at most {peak} MB (target: below 150 MB)")
        }
        None => println!("resident: unknown on this system"),
    }
}

const UPDATES: usize = 100_000;
