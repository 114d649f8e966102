//! A script goes in, the transcript comes out as text.

mod changes;
mod events;
mod folded_members;
mod limit;
mod messages;
mod properties;
mod render;
mod replay;
mod sample;
mod script;
mod state;
mod tool_calls;
mod turns;

use expect_test::Expect;

use render::render;
use script::run;

#[track_caller]
fn check(script: &str, expect: Expect) {
    expect.assert_eq(&render(&run(script)));
}
