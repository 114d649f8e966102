//! Parses the blocks of a script.

use super::suffix::duration;
use super::{Block, Cursor, Repetition, ScriptError, ScriptLine, Step};

pub(super) fn blocks(text: &str) -> Result<Vec<Block>, ScriptError> {
    let mut cursor = Cursor::new(text);
    let mut blocks = Vec::new();
    while to_step(&mut cursor) {
        let start = cursor.clone();
        if cursor.take_word("repeat") {
            cursor.blanks();
            let times = super::suffix::count(&mut cursor)?;
            cursor.end_of_line("the end of the line")?;
            let steps = until_end(&mut cursor, &start, step)?;
            blocks.push(Block::Repeat(times, steps));
        } else {
            blocks.push(Block::Step(step(&mut cursor)?));
        }
    }
    check_last(&blocks)?;
    Ok(blocks)
}

fn step(cursor: &mut Cursor<'_>) -> Result<Step, ScriptError> {
    let start = cursor.clone();
    let step = if cursor.take_word("any order") {
        cursor.end_of_line("the end of the line")?;
        return Ok(Step::AnyOrder(until_end(cursor, &start, thread)?));
    } else if cursor.take_word("quiet") {
        cursor.blanks();
        let time = duration(cursor)?;
        Step::Quiet(cursor.location_from(&start), time)
    } else if cursor.take_word("within") {
        cursor.blanks();
        Step::Within(duration(cursor)?)
    } else if cursor.take("...") {
        Step::Anything(cursor.location_from(&start))
    } else {
        return Ok(Step::Line(super::line::parse(cursor)?));
    };
    cursor.end_of_line("the end of the line")?;
    Ok(step)
}

/// A thread: one line, or several that stay in order.
fn thread(cursor: &mut Cursor<'_>) -> Result<Vec<ScriptLine>, ScriptError> {
    let start = cursor.clone();
    if cursor.take_word("in order") {
        cursor.end_of_line("the end of the line")?;
        return until_end(cursor, &start, counted);
    }
    Ok(vec![counted(cursor)?])
}

fn counted(cursor: &mut Cursor<'_>) -> Result<ScriptLine, ScriptError> {
    let start = cursor.clone();
    let line = super::line::parse(cursor)?;
    match line.times {
        Repetition::Exactly(_) => Ok(line),
        Repetition::Any => Err(start.expected("a line without `x*`, since the order is open here")),
    }
}

/// Parses steps up to `end`.
fn until_end<T>(
    cursor: &mut Cursor<'_>,
    start: &Cursor<'_>,
    mut read: impl FnMut(&mut Cursor<'_>) -> Result<T, ScriptError>,
) -> Result<Vec<T>, ScriptError> {
    let mut items = Vec::new();
    while to_step(cursor) {
        if cursor.take_word("end") {
            cursor.end_of_line("the end of the line")?;
            return Ok(items);
        }
        items.push(read(cursor)?);
    }
    Err(start.expected("an `end` for the block that begins here"))
}

/// Checks that `...` is the last step, and that a repetition without a limit is followed by the line that ends it.
fn check_last(blocks: &[Block]) -> Result<(), ScriptError> {
    let steps: Vec<&Step> = blocks.iter().flat_map(steps).collect();
    for (index, step) in steps.iter().enumerate() {
        let next = steps.get(index + 1);
        match step {
            Step::Anything(location) if next.is_some() => {
                return Err(location.wrong("nothing after this step"));
            }
            Step::Line(line) if line.times == Repetition::Any => {
                let ends = match next {
                    Some(Step::Line(next)) => next.from == line.from,
                    Some(Step::Anything(_)) => true,
                    _ => false,
                };
                if !ends {
                    let expected = "a line of the same side after `x*`, which ends it";
                    return Err(line.location.wrong(expected));
                }
            }
            _ => {}
        }
    }
    Ok(())
}

fn steps(block: &Block) -> &[Step] {
    match block {
        Block::Step(step) => std::slice::from_ref(step),
        Block::Repeat(_, steps) => steps,
    }
}

/// Moves to the next block; `false` if there is none.
fn to_step(cursor: &mut Cursor<'_>) -> bool {
    loop {
        cursor.layout();
        match cursor.peek() {
            None => return false,
            Some('#') => {
                cursor.line();
            }
            Some(_) => return true,
        }
    }
}
