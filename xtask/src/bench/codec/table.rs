//! Aligned plain-text tables: one block per direction and workload.

use super::BenchRow;

pub(crate) fn all(rows: &[BenchRow]) -> String {
    let mut text = String::new();
    for block in rows.chunk_by(|a, b| (&a.direction, &a.workload) == (&b.direction, &b.workload)) {
        text.push_str(&table(block));
        text.push('\n');
    }
    text.push_str(LEGEND);
    text
}

fn table(block: &[BenchRow]) -> String {
    let mut lines = vec![HEADER.map(String::from)];
    lines.extend(block.iter().map(|row| cells(row, block)));
    let width = |column: usize| {
        lines
            .iter()
            .map(|line| line[column].len())
            .max()
            .unwrap_or(0)
    };
    let widths: [usize; HEADER.len()] = std::array::from_fn(width);

    let mut text = title(block);
    for line in &lines {
        text.push_str(&format!("{:1$}", line[0], widths[0]));
        for (cell, width) in line.iter().zip(widths).skip(1) {
            text.push_str(&format!("  {cell:>width$}"));
        }
        text.push('\n');
    }
    text
}

fn title(block: &[BenchRow]) -> String {
    let BenchRow {
        direction,
        workload,
        figures,
        ..
    } = &block[0];
    let bytes = whole(Some(figures.bytes));
    format!("{direction} {workload}, {bytes} bytes per message\n")
}

fn cells(row: &BenchRow, block: &[BenchRow]) -> [String; HEADER.len()] {
    let instructions = |row: &BenchRow| row.instructions;
    let nanoseconds = |row: &BenchRow| Some(row.figures.nanoseconds);
    // Bytes per nanosecond are gigabytes per second.
    let rate = row.figures.bytes / row.figures.nanoseconds * 1000.0;
    [
        row.contender.clone(),
        whole(instructions(row)),
        ratio(row, TYPES, block, instructions),
        ratio(row, SDK, block, instructions),
        whole(nanoseconds(row)),
        ratio(row, TYPES, block, nanoseconds),
        ratio(row, SDK, block, nanoseconds),
        whole(Some(rate)),
        format!("{:.1}", row.figures.allocations),
    ]
}

/// The cost of another row divided by the cost of this one.
fn ratio(
    row: &BenchRow,
    other: &str,
    block: &[BenchRow],
    cost: impl Fn(&BenchRow) -> Option<f64>,
) -> String {
    let other = block
        .iter()
        .find(|row| row.contender == other)
        .and_then(&cost);
    match (other, cost(row)) {
        (Some(other), Some(own)) => format!("{:.2}", other / own),
        _ => NONE.into(),
    }
}

fn whole(figure: Option<f64>) -> String {
    let Some(figure) = figure else {
        return NONE.into();
    };
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

const HEADER: [&str; 9] = [
    "contender",
    "instr/msg",
    "vs types",
    "vs SDK",
    "ns/msg",
    "vs types",
    "vs SDK",
    "MB/s",
    "allocs/msg",
];
const LEGEND: &str = "\
vs: the cost of the official types or the official SDK divided by the cost of the row; above 1, the row is cheaper
-:  not counted
";
const TYPES: &str = "official types";
const SDK: &str = "official SDK";
const NONE: &str = "-";

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::super::Figures;
    use super::*;

    #[test]
    fn uncounted_values_keep_their_column() {
        let ours = row("ours", 250.0, None);
        let types = row(TYPES, 500.0, Some(10_682.4));
        let sdk = row(SDK, 8193.0, None);
        check(
            &[ours, types, sdk],
            expect![[r#"
            decode short, 209 bytes per message
            contender       instr/msg  vs types  vs SDK  ns/msg  vs types  vs SDK  MB/s  allocs/msg
            ours                    -         -       -     250      2.00   32.77   836         8.0
            official types     10,682      1.00       -     500      1.00   16.39   418         8.0
            official SDK            -         -       -   8,193      0.06    1.00    26         8.0
        "#]],
        );
    }

    fn check(block: &[BenchRow], expected: Expect) {
        expected.assert_eq(&table(block));
    }

    fn row(contender: &str, nanoseconds: f64, instructions: Option<f64>) -> BenchRow {
        BenchRow {
            direction: "decode".into(),
            workload: "short".into(),
            contender: contender.into(),
            round: 1,
            figures: Figures {
                bytes: 209.0,
                nanoseconds,
                allocations: 8.0,
            },
            instructions,
        }
    }
}
