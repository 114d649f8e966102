//! The command that changes a list in the user's configuration, to be copied from a hint.

use attache_text::shell;

/// `attache config set KEY '["…"]'` with what the list has already and more.
pub(crate) fn with_added(key: &str, listed: &[String], added: &[&str]) -> String {
    let all = listed
        .iter()
        .map(String::as_str)
        .chain(added.iter().copied());
    let all: Vec<&str> = all.collect();
    let list = serde_json::Value::from(all).to_string();
    format!("attache config set {key} {}", shell::quote(&list))
}

#[cfg(test)]
mod tests {
    use super::with_added;

    #[test]
    fn what_is_listed_stays_and_quotes_do_no_harm() {
        let listed = ["/a b".to_owned()];
        assert_eq!(
            with_added("sandbox.write", &listed, &["/it's"]),
            r#"attache config set sandbox.write '["/a b","/it'\''s"]'"#
        );
    }
}
