//! Tests of every tool, with a client in memory that offers files and terminals, and with one that offers nothing.

mod boundary;
mod cancellation;
mod commands;
#[cfg(unix)]
mod denied_attack;
mod edits;
mod fetches;
mod file_changes;
mod inputs;
mod reads;
mod searches;
mod test_editor;

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use attache::v1;
use attache_host::Roots;
use attache_model::Input;
use expect_test::Expect;
use tempfile::TempDir;

use super::{Loopback, PreparedTool, ToolEnvironment, WebClient, Workplace, parse};
use crate::ToolOutcome;
use test_editor::TestEditor;

/// A working directory and a client.
struct TestWorkplace {
    _top: TempDir,
    top: PathBuf,
    editor: TestEditor,
    workplace: Workplace,
}

/// The services that the client offers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ClientOffer {
    Nothing,
    Everything,
    OnlyReads,
    OnlyWrites,
}

impl TestWorkplace {
    /// A client that offers nothing, and these files, each with its text; a name that ends in `/` is a directory.
    async fn new(files: &[(&str, &str)]) -> TestWorkplace {
        TestWorkplace::with(ClientOffer::Nothing, files).await
    }

    async fn with(offer: ClientOffer, files: &[(&str, &str)]) -> TestWorkplace {
        let temporary = TempDir::new().unwrap();
        let top = temporary.path().canonicalize().unwrap();
        fs::create_dir(top.join("ws")).unwrap();
        fs::create_dir(top.join("more")).unwrap();
        for (name, text) in files {
            let path = top.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            match name.ends_with('/') {
                true => fs::create_dir_all(path).unwrap(),
                false => fs::write(path, text).unwrap(),
            }
        }
        let roots = Roots::open(&top.join("ws"), &[top.join("more")]).unwrap();
        let (editor, session) = TestEditor::open(offer, roots.clone()).await;
        let environment = ToolEnvironment {
            pages: WebClient::new(Loopback::Open),
            ..ToolEnvironment::default()
        };
        TestWorkplace {
            _top: temporary,
            workplace: Workplace::new(session, roots, environment),
            top,
            editor,
        }
    }

    async fn prepare(&self, tool: &str, input: &str) -> Result<PreparedTool, ToolOutcome> {
        let input = input.replace('@', self.top.to_str().unwrap());
        let call = parse(tool, &input).unwrap().unwrap();
        call.prepare(&self.workplace).await
    }

    async fn outcome(&self, tool: &str, input: &str) -> ToolOutcome {
        match self.prepare(tool, input).await {
            Ok(prepared) => prepared.perform(&self.workplace, drop).await,
            Err(outcome) => outcome,
        }
    }

    /// The result of a call as the model gets it.
    async fn for_model(&self, tool: &str, input: &str) -> String {
        let outcome = self.outcome(tool, input).await;
        self.text(&outcome)
    }

    fn text(&self, outcome: &ToolOutcome) -> String {
        let pieces = outcome.for_model.iter().map(|piece| match piece {
            Input::Text(text) => text.clone(),
            Input::Image { media_type, data } => format!("<{media_type} {} bytes>", data.len()),
            Input::Audio { .. } => "<audio>".to_owned(),
        });
        let told = pieces.collect::<Vec<_>>().join("\n");
        let told = told.replace(self.top.to_str().unwrap(), "@");
        let failed = if outcome.failed { "FAILED " } else { "" };
        format!("{failed}{}", told.trim_end())
    }

    async fn check(&self, tool: &str, input: &str, expected: Expect) {
        expected.assert_eq(&self.for_model(tool, input).await);
    }

    fn disk(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.top.join(name)).ok()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.top.join(name)
    }

    /// The requests to the client.
    fn asked(&self) -> String {
        let asked = self.editor.asked().join("\n");
        asked.replace(self.top.to_str().unwrap(), "@")
    }
}

/// The diff that the user sees, as `old` and `new`.
fn diff(content: &[v1::ToolCallContent]) -> (Option<&str>, &str) {
    match content {
        [v1::ToolCallContent::Diff(diff)] => (diff.old_text.as_deref(), &diff.new_text),
        other => panic!("{other:?}"),
    }
}

/// Waits until the condition is true, for a limited time.
async fn eventually(what: &str, mut is_so: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while !is_so() {
        assert!(Instant::now() < deadline, "{what}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}
