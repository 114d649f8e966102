//! Finds the passage of a text that is most similar to one that is not in it, and shows the difference.

use similar::{ChangeTag, TextDiff};

/// The most similar passage with line numbers and differences; `None` if nothing is similar.
pub(super) fn nearest(text: &str, wanted: &str) -> Option<String> {
    let lines: Vec<&str> = text.lines().collect();
    let wanted: Vec<&str> = without_blank_ends(wanted.lines().collect());
    let start = best_start(&lines, &wanted)?;
    let end = (start + wanted.len()).min(lines.len());
    let found = &lines[start..end];
    Some(format!(
        "The nearest passage is {}, {}:\n{}",
        place(start, end),
        difference(found, &wanted),
        shown(found, &wanted, start)
    ))
}

/// The first line of the most similar passage.
fn best_start(lines: &[&str], wanted: &[&str]) -> Option<usize> {
    let compared = &wanted[..wanted.len().min(MOST_COMPARED)];
    if compared.is_empty() || lines.len() > MOST_LINES {
        return None;
    }
    let last = lines.len().saturating_sub(compared.len());
    let mut best = (LEAST_ALIKE, None);
    for start in 0..=last {
        let window = lines[start..].iter().zip(compared);
        let likeness: f64 = window.map(|(line, wanted)| likeness(line, wanted)).sum();
        let likeness = likeness / compared.len() as f64;
        if likeness > best.0 {
            best = (likeness, Some(start));
        }
    }
    best.1
}

/// The similarity of two lines from 0 to 1, ignoring white space around them.
fn likeness(line: &str, wanted: &str) -> f64 {
    let (line, wanted) = (line.trim(), wanted.trim());
    match line == wanted {
        true => 1.0,
        // Far too long or short to be alike.
        false if line.len() > 4 * wanted.len() + 16 || wanted.len() > 4 * line.len() + 16 => 0.0,
        false => strsim::sorensen_dice(line, wanted),
    }
}

/// Describes in a few words how two passages differ.
fn difference(found: &[&str], wanted: &[&str]) -> &'static str {
    let same = |of: fn(&str) -> String| {
        let same_lines = found.iter().zip(wanted);
        found.len() == wanted.len() && { same_lines }.all(|(found, wanted)| of(found) == of(wanted))
    };
    if same(str::to_owned) {
        "which differs only where it begins or ends"
    } else if same(|line| line.trim_end().to_owned()) {
        "which differs only in spaces at the ends of lines"
    } else if same(|line| line.trim().to_owned()) {
        "which differs only in indentation"
    } else if same(|line| line.split_whitespace().collect()) {
        "which differs only in spaces"
    } else if same(|line| line.trim().to_lowercase()) {
        "which differs only in capital letters"
    } else {
        "where `-` is what you sent and `+` what the file says"
    }
}

/// The passage with line numbers. Where it differs, the model's line precedes the actual line.
fn shown(found: &[&str], wanted: &[&str], start: usize) -> String {
    let diff = TextDiff::from_slices(wanted, found);
    let mut number = start;
    let mut shown = String::new();
    for change in diff.iter_all_changes() {
        let line = change.value();
        match change.tag() {
            ChangeTag::Delete => shown.push_str(&format!("     - {line}\n")),
            ChangeTag::Insert => {
                number += 1;
                shown.push_str(&format!("{number:>4} + {line}\n"));
            }
            ChangeTag::Equal => {
                number += 1;
                shown.push_str(&format!("{number:>4}   {line}\n"));
            }
        }
    }
    shown
}

fn without_blank_ends(mut lines: Vec<&str>) -> Vec<&str> {
    let blank = |line: &&str| line.trim().is_empty();
    while lines.pop_if(|line| line.trim().is_empty()).is_some() {}
    let leading = lines.iter().take_while(|line| blank(line)).count();
    lines.drain(..leading);
    lines
}

fn place(start: usize, end: usize) -> String {
    match end - start {
        1 => format!("line {end}"),
        _ => format!("lines {} - {end}", start + 1),
    }
}

const MOST_COMPARED: usize = 12;
const MOST_LINES: usize = 50_000;
const LEAST_ALIKE: f64 = 0.4;
