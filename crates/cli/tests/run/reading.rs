//! Actions that count as reading, which `attache run` allows without a rule.

use expect_test::expect;

use super::{agents, check};

#[test]
fn what_only_reads_is_allowed() {
    check(
        &["hi"],
        &agents::turn(&agents::asks_to_read("a.txt"), agents::ECHO_ANSWER),
        &expect![[r#"
            out: {"outcome":"selected","optionId":"yes"}

            err: allowed: read CWD/a.txt (preset `approve-reads`, the default)

            exit: 0
        "#]],
    );
}

#[test]
fn reading_that_names_no_file_is_not_reading() {
    check(
        &["hi"],
        &agents::turn(&agents::asks("read"), agents::ECHO_ANSWER),
        &expect![[r#"
            out: {"outcome":"selected","optionId":"no"}

            err: denied: read tool “Look at it” (preset `approve-reads`, the default)
            attache: something was denied; see --approve-all and --policy

            exit: 5
        "#]],
    );
}

#[test]
fn a_question_that_names_a_tool_that_was_told_before() {
    let told = agents::tells_tool("read");
    let asks = agents::asks_briefly();
    check(
        &["hi"],
        &agents::turn(&told, &asks),
        &expect![[r#"
            out: 
            err: denied: read tool “Look at it” (preset `approve-reads`, the default)
            tool: Look at it (read, pending)
            attache: something was denied; see --approve-all and --policy

            exit: 5
        "#]],
    );
}
