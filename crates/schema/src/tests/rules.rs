//! The rules, applied to conversations.

mod catalog;
mod conversation;
mod elicitation;
mod envelope;
mod gate;
mod hostile;
mod initialize;
mod offers;
mod path;
mod permission;
mod sequence;
mod session_setup;
mod table;
mod update;

use conversation::Conversation;
use expect_test::Expect;

/// Runs a conversation with one message per line, and compares its violations:
///
/// ```text
/// client has {"terminal":true}                  capabilities, instead of an initialize
/// agent has {"loadSession":true}
/// client session/new {"cwd":"/a","mcpServers":[]}
/// agent = {"sessionId":"s"}                     the result of the other side's last request
/// agent ! {"code":-32603,"message":"no"}        the same as an error
/// begin                                         a connection that nobody has initialized
/// over                                          the end of the session
/// ```
fn check(conversation: &str, expect: Expect) {
    let mut run = Conversation::initialized();
    for line in conversation.lines().map(str::trim) {
        if !line.is_empty() {
            run.line(line);
        }
    }
    expect.assert_eq(&run.report());
}

/// Checks that a conversation has no violations.
fn clean(conversation: &str) {
    check(conversation, expect_test::expect![""]);
}
