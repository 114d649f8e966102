//! The command that adds to a list in the user's configuration, for hints that the user can copy.

use attache_text::shell;

/// The command `attache config set KEY '["…"]'`, with the items that the list has already and the new ones.
pub(crate) fn adding_to_list(key: &str, listed: &[String], added: &[&str]) -> String {
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
    use super::adding_to_list;

    #[test]
    fn listed_items_stay_and_quotes_are_escaped() {
        let listed = ["/a b".to_owned()];
        assert_eq!(
            adding_to_list("sandbox.write", &listed, &["/it's"]),
            r#"attache config set sandbox.write '["/a b","/it'\''s"]'"#
        );
    }
}
