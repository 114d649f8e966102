//! Aligned plain-text tables.

pub(crate) struct Table {
    title: String,
    lines: Vec<Vec<String>>,
}

impl Table {
    pub(crate) fn new(title: impl Into<String>, header: &[&str]) -> Self {
        let header = header.iter().map(|cell| (*cell).to_owned()).collect();
        Table {
            title: title.into(),
            lines: vec![header],
        }
    }

    pub(crate) fn row(&mut self, name: impl Into<String>, cells: Vec<String>) {
        let mut line = vec![name.into()];
        line.extend(cells);
        self.lines.push(line);
    }

    pub(crate) fn missing(&mut self, name: impl Into<String>) {
        self.row(name, vec!["skipped: not installed".into()]);
    }

    pub(crate) fn print(&self) {
        let columns = self.lines[0].len();
        let full = self.lines.iter().filter(|line| line.len() == columns);
        let mut widths = vec![0; columns];
        for (column, cell) in full.flat_map(|line| line.iter().enumerate()) {
            widths[column] = widths[column].max(cell.chars().count());
        }
        widths[0] = self.lines.iter().map(|line| line[0].len()).max().unwrap();
        println!("{}", self.title);
        for line in &self.lines {
            print!("{:1$}", line[0], widths[0]);
            for (cell, width) in line.iter().zip(&widths).skip(1) {
                print!("  {cell:>width$}");
            }
            println!();
        }
        println!();
    }
}

/// A figure with its thousands apart.
pub(crate) fn whole(figure: f64) -> String {
    let digits = format!("{figure:.0}");
    let mut grouped = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

pub(crate) fn times(figure: f64) -> String {
    format!("{figure:.2}")
}

pub(crate) fn micros(seconds: f64) -> String {
    format!("{:.1}", seconds * 1e6)
}

pub(crate) fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_unstable_by(f64::total_cmp);
    figures[figures.len() / 2]
}

#[allow(clippy::cast_precision_loss, reason = "far below 2^52")]
pub(crate) fn float(n: usize) -> f64 {
    n as f64
}
