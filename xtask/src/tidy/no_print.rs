//! Only the command line prints; libraries return their output. The test kit may print to the output of a test that fails.

use super::Violation;
use super::tokens::{macro_calls, without_tests};
use super::tree::{File, Tree};

pub(super) fn check(tree: &Tree) -> Vec<Violation> {
    let mut found = Vec::new();
    for (file, rust) in tree.rust_files().filter(|(file, _)| is_library(file)) {
        for (name, line) in macro_calls(without_tests(rust.tokens.clone())) {
            if PRINTING.contains(&name.as_str()) {
                let message = format!("`{name}!` in a library; return the text, or trace it");
                found.push(Violation::new(&file.path, line, message));
            }
        }
    }
    found
}

fn is_library(file: &File) -> bool {
    let is_test = file
        .path
        .split('/')
        .any(|part| part == "tests" || part == "tests.rs");
    !is_test && file.path != TEST_OUTPUT && file.source_of().is_some_and(|folder| folder != "cli")
}

/// Prints to the output of the user's tests.
const TEST_OUTPUT: &str = "crates/testkit/src/scripted_peer.rs";

const PRINTING: [&str; 5] = ["print", "println", "eprint", "eprintln", "dbg"];

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::fixture;

    #[test]
    fn printing_from_a_library_is_named() {
        fixture::check(
            super::check,
            r#"
//- crates/rpc/src/lib.rs
//! println!("in a comment")
fn f() {
    println!("{}", "eprintln!()");
    let x = vec![dbg!(1)];
    if print != x { std::eprint!() }
}
macro_rules! say { () => { print!("hello") } }
#[cfg(not(test))]
fn g() { eprintln!() }
"#,
            expect![[r#"
                crates/rpc/src/lib.rs:3: `println!` in a library; return the text, or trace it
                crates/rpc/src/lib.rs:4: `dbg!` in a library; return the text, or trace it
                crates/rpc/src/lib.rs:5: `eprint!` in a library; return the text, or trace it
                crates/rpc/src/lib.rs:7: `print!` in a library; return the text, or trace it
                crates/rpc/src/lib.rs:9: `eprintln!` in a library; return the text, or trace it
            "#]],
        );
    }

    #[test]
    fn tests_and_the_command_line_may_print() {
        fixture::check(
            super::check,
            "
//- crates/rpc/src/lib.rs
#[cfg(test)]
mod tests { fn f() { println!() } }
#[cfg(all(test, unix))]
#[inline]
fn g() { println!() }
//- crates/rpc/src/tests.rs
fn f() { println!() }
//- crates/rpc/src/json/tests/number.rs
fn f() { println!() }
//- crates/rpc/src/kit.rs
#![cfg(test)]
fn f() { println!() }
//- crates/rpc/tests/all.rs
fn f() { println!() }
//- crates/rpc/examples/echo.rs
fn f() { println!() }
//- crates/cli/src/main.rs
fn main() { println!() }
//- crates/testkit/src/scripted_peer.rs
fn f() { eprintln!() }
//- xtask/src/main.rs
fn main() { println!() }
",
            expect![""],
        );
    }
}
