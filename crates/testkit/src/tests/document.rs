//! Tests of the examples in `docs/scripts.md`.

use super::{perform, say};
use crate::Script;

const PAGE: &str = include_str!("../../../../docs/scripts.md");

#[tokio::test(start_paused = true)]
async fn every_example_can_be_played_by_both_sides() {
    let examples = examples(PAGE);
    assert_eq!(examples.len(), 5);
    for example in examples {
        let trace = perform(&example).await;
        let said = Script::parse(&trace.to_string()).unwrap().lines();
        assert!(said >= Script::parse(&example).unwrap().lines(), "{trace}");
    }
}

fn examples(page: &str) -> Vec<String> {
    let blocks = page.split("```script\n").skip(1);
    let blocks = blocks.filter_map(|block| block.split_once("```"));
    blocks.map(|(block, _)| block.to_owned()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_examples_do_not_depend_on_a_clock_that_is_paused() {
    for example in examples(PAGE) {
        perform(&example).await;
    }
}

#[tokio::test(start_paused = true)]
async fn the_documented_difference_is_the_actual_one() {
    let error = Script::parse("-> initialize {\"version\"}").unwrap_err();
    assert!(PAGE.contains(&error.to_string()), "{error}");
    let script = "# A greeting.\n-> session/prompt {\"sessionId\":\"s1\",\"prompt\":[{\"type\":\"text\",\"text\":\"Hello\"}]}";
    let line = r#"{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"s1","prompt":[{"type":"text","text":"Help"}]}}"#;
    let (difference, _) = say(script, line).await;
    assert!(PAGE.contains(&difference), "{difference}");
}
