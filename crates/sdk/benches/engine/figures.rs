//! How a side reports its measurements: one line on standard error for each figure.

use std::collections::HashMap;

pub(crate) fn report(name: &str, value: f64) {
    eprintln!("{MARK}\t{name}\t{value}");
}

/// The figures that one side has reported.
#[derive(Debug)]
pub(crate) struct Figures {
    figures: HashMap<String, f64>,
    /// Other output on standard error.
    rest: String,
}

impl Figures {
    pub(crate) fn parse(text: &str) -> Self {
        let mut figures = HashMap::new();
        let mut rest = String::new();
        for line in text.lines() {
            match line.split('\t').collect::<Vec<_>>()[..] {
                [MARK, name, value] => {
                    figures.insert(name.to_owned(), value.parse().unwrap());
                }
                _ => rest = rest + line + "\n",
            }
        }
        Figures { figures, rest }
    }

    pub(crate) fn get(&self, name: &str) -> f64 {
        let figure = self.figures.get(name);
        *figure.unwrap_or_else(|| panic!("no figure {name}:\n{}", self.rest))
    }

    /// The number of instructions that callgrind reports.
    pub(crate) fn instructions(&self) -> f64 {
        let counted = |line: &str| line.split_once("Collected :")?.1.trim().parse().ok();
        let counted = self.rest.lines().find_map(counted);
        counted.unwrap_or_else(|| panic!("nothing was counted:\n{}", self.rest))
    }

    pub(crate) fn find(&self, name: &str) -> Option<f64> {
        self.figures.get(name).copied()
    }
}

const MARK: &str = "figure";
