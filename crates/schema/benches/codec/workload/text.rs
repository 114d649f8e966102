//! Words and source lines from a fixed seed: enough variety that no branch predictor learns them by heart.

/// A xorshift generator that speaks.
pub(crate) struct Text {
    state: u64,
}

impl Text {
    pub(crate) fn seeded(seed: u64) -> Self {
        Self { state: seed }
    }

    pub(crate) fn word(&mut self) -> &'static str {
        WORDS[self.below(WORDS.len())]
    }

    /// A chunk as a model streams it: one to eight words; one chunk in eight also ends a line or contains quotes.
    pub(crate) fn token(&mut self) -> String {
        let mut token = String::new();
        for _ in 0..=self.below(8) {
            token.push(' ');
            token.push_str(self.word());
        }
        match self.below(16) {
            0 => token.push_str(".\n\n"),
            1 => token.push_str(" \"so\""),
            _ => {}
        }
        token
    }

    /// Sentences in paragraphs, at least `size` bytes.
    pub(crate) fn prose(&mut self, size: usize) -> String {
        let mut prose = String::from(self.word());
        while prose.len() < size {
            prose.push_str(match self.below(64) {
                0 => ".\n\n",
                1..=4 => ". ",
                5..=8 => ", ",
                9 => " \u{2014} ",
                _ => " ",
            });
            prose.push_str(self.word());
        }
        prose
    }

    /// Source lines, at least `size` bytes.
    pub(crate) fn code(&mut self, size: usize) -> String {
        let mut code = String::new();
        while code.len() < size {
            code.push_str(CODE[self.below(CODE.len())]);
            code.push('\n');
        }
        code
    }

    /// Fisher and Yates.
    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }

    fn below(&mut self, limit: usize) -> usize {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        usize::try_from(self.state >> 33).unwrap() % limit
    }
}

const WORDS: [&str; 40] = [
    "the", "a", "of", "and", "to", "in", "is", "it", "we", "this", "file", "test", "error",
    "function", "session", "parser", "returns", "because", "should", "before", "after", "module",
    "request", "buffer", "change", "config", "handler", "update", "message", "without", "line",
    "check", "reads", "writes", "now", "first", "then", "caller", "value", "path",
];

const CODE: [&str; 16] = [
    "use std::collections::HashMap;",
    "",
    "/// Reads the settings; a missing file is not an error.",
    "pub fn load(path: &Path) -> Result<Settings, Error> {",
    "    let text = fs::read_to_string(path).map_err(|e| Error::Read { path: path.into(), source: e })?;",
    "    let mut settings: Settings = toml::from_str(&text)?;",
    "    if settings.name.is_empty() {",
    "        return Err(Error::Missing(\"name\"));",
    "    }",
    "    for (key, value) in &mut settings.env {",
    "        tracing::debug!(%key, \"replacing \\\"{value}\\\"\");",
    "        *value = value.replace('\\\\', \"/\").trim_end_matches('\\n').to_owned();",
    "    }",
    "    Ok(settings)",
    "}",
    "\t// kept for callers that pass \"default\"",
];
