//! The examples of the page on scripts.

use super::perform;
use crate::Script;

#[tokio::test(start_paused = true)]
async fn every_example_can_be_played_by_both_sides() {
    let examples = examples(include_str!("../../../../docs/scripts.md"));
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
    for example in examples(include_str!("../../../../docs/scripts.md")) {
        perform(&example).await;
    }
}
