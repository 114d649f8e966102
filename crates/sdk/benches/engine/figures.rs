//! How a side tells what it has measured: a line on standard error for each figure.

use std::collections::HashMap;

pub(crate) fn tell(name: &str, value: f64) {
    eprintln!("{MARK}\t{name}\t{value}");
}

/// What a side has told.
#[derive(Debug)]
pub(crate) struct Figures {
    told: HashMap<String, f64>,
    /// What it has said besides.
    rest: String,
}

impl Figures {
    pub(crate) fn parse(text: &str) -> Self {
        let mut told = HashMap::new();
        let mut rest = String::new();
        for line in text.lines() {
            match line.split('\t').collect::<Vec<_>>()[..] {
                [MARK, name, value] => {
                    told.insert(name.to_owned(), value.parse().unwrap());
                }
                _ => rest = rest + line + "\n",
            }
        }
        Figures { told, rest }
    }

    pub(crate) fn get(&self, name: &str) -> f64 {
        let figure = self.told.get(name);
        *figure.unwrap_or_else(|| panic!("no figure {name}:\n{}", self.rest))
    }

    /// What callgrind has said.
    pub(crate) fn instructions(&self) -> f64 {
        let counted = |line: &str| line.split_once("Collected :")?.1.trim().parse().ok();
        let counted = self.rest.lines().find_map(counted);
        counted.unwrap_or_else(|| panic!("nothing was counted:\n{}", self.rest))
    }

    pub(crate) fn find(&self, name: &str) -> Option<f64> {
        self.told.get(name).copied()
    }
}

const MARK: &str = "figure";
