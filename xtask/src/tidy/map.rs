//! Reads the two checked parts of ARCHITECTURE.md: the levels and the crate table. In a cell, only names in backticks
//! count; other words are for readers.

#[derive(Default)]
pub(super) struct Map {
    pub(super) levels: Vec<Level>,
    pub(super) rows: Vec<CrateRow>,
}

pub(super) struct Level {
    pub(super) line: usize,
    pub(super) height: usize,
    pub(super) folders: Vec<String>,
}

pub(super) struct CrateRow {
    pub(super) line: usize,
    pub(super) folder: String,
    pub(super) package: String,
    pub(super) depends_on: Vec<String>,
    pub(super) may_not_touch: Vec<String>,
}

impl Map {
    pub(super) const PATH: &str = "ARCHITECTURE.md";

    pub(super) fn parse(text: &str) -> Result<Map, String> {
        Ok(Map {
            levels: section(text, "levels")?
                .into_iter()
                .filter(|(_, line)| !line.starts_with("```"))
                .map(|(number, line)| level(number, line))
                .collect::<Result<_, _>>()?,
            rows: rows(section(text, "crates")?)?,
        })
    }

    pub(super) fn height(&self, folder: &str) -> Option<usize> {
        self.levels
            .iter()
            .find(|level| level.folders.iter().any(|other| other == folder))
            .map(|level| level.height)
    }
}

/// The lines between `<!-- name -->` and `<!-- /name -->` that are not blank, numbered.
fn section<'t>(text: &'t str, name: &str) -> Result<Vec<(usize, &'t str)>, String> {
    let open = format!("<!-- {name} -->");
    let close = format!("<!-- /{name} -->");
    if !text.lines().any(|line| line == open) || !text.lines().any(|line| line == close) {
        return Err(format!("{}: no `{open}` … `{close}`", Map::PATH));
    }
    Ok((1..)
        .zip(text.lines())
        .skip_while(|(_, line)| *line != open)
        .skip(1)
        .take_while(|(_, line)| *line != close)
        .filter(|(_, line)| !line.trim().is_empty())
        .collect())
}

/// `1  schema  transport  |  messages as data | bytes and tasks`
fn level(number: usize, line: &str) -> Result<Level, String> {
    let (left, _) = line.split_once('|').unwrap_or((line, ""));
    let mut words = left.split_whitespace();
    let height = words
        .next()
        .and_then(|word| word.parse().ok())
        .ok_or_else(|| format!("{}:{number}: a level starts with its number", Map::PATH))?;
    Ok(Level {
        line: number,
        height,
        folders: words.map(str::to_owned).collect(),
    })
}

fn rows(lines: Vec<(usize, &str)>) -> Result<Vec<CrateRow>, String> {
    let mut lines = lines.into_iter();
    let header = lines.next().map(|(_, line)| cells(line));
    if header.as_deref() != Some(&COLUMNS) {
        let columns = COLUMNS.join(" | ");
        return Err(format!(
            "{}: the crate table has the columns {columns}",
            Map::PATH
        ));
    }
    lines
        .skip(1)
        .map(|(number, line)| row(number, line))
        .collect()
}

fn row(number: usize, line: &str) -> Result<CrateRow, String> {
    let cells = cells(line);
    let [folder, package, _, depends_on, may_not_touch] = cells.as_slice() else {
        let count = COLUMNS.len();
        return Err(format!("{}:{number}: a row has {count} cells", Map::PATH));
    };
    Ok(CrateRow {
        line: number,
        folder: names(folder).concat(),
        package: names(package).concat(),
        depends_on: names(depends_on),
        may_not_touch: names(may_not_touch),
    })
}

fn cells(line: &str) -> Vec<&str> {
    line.trim()
        .trim_matches('|')
        .split('|')
        .map(str::trim)
        .collect()
}

fn names(cell: &str) -> Vec<String> {
    cell.split('`')
        .skip(1)
        .step_by(2)
        .map(str::to_owned)
        .collect()
}

const COLUMNS: [&str; 5] = [
    "folder",
    "package",
    "in one sentence",
    "depends on",
    "may not touch",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_without_markers_is_an_error() {
        assert_eq!(
            Map::parse("# Architecture\n").err().as_deref(),
            Some("ARCHITECTURE.md: no `<!-- levels -->` … `<!-- /levels -->`")
        );
    }

    #[test]
    fn a_table_with_other_columns_is_an_error() {
        let text =
            "<!-- levels -->\n<!-- /levels -->\n<!-- crates -->\n| folder |\n<!-- /crates -->";
        assert_eq!(
            Map::parse(text).err().as_deref(),
            Some(
                "ARCHITECTURE.md: the crate table has the columns \
                 folder | package | in one sentence | depends on | may not touch"
            )
        );
    }
}
