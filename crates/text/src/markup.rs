//! Escapes text for HTML and XML documents.

/// Escapes text for element content and for attributes in double quotes. Control characters, which HTML and XML cannot
/// represent, become `�`.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\n' | '\t' => escaped.push(char),
            char if char.is_control() => escaped.push('\u{fffd}'),
            char => escaped.push(char),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::escape;

    #[test]
    fn escaped_text_cannot_end_its_element_or_attribute() {
        assert_eq!(
            escape("<a href=\"x\">&amp;\u{1b}[m\n"),
            "&lt;a href=&quot;x&quot;&gt;&amp;amp;\u{fffd}[m\n"
        );
    }
}
