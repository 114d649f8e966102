//! Reading the steps of a script.

use super::suffix::duration;
use super::{Cursor, Line, Scene, ScriptError, Step, Times};

pub(super) fn steps(text: &str) -> Result<Vec<Step>, ScriptError> {
    let mut cursor = Cursor::new(text);
    let mut steps = Vec::new();
    while to_step(&mut cursor) {
        let start = cursor.clone();
        if cursor.take_word("repeat") {
            cursor.blanks();
            let times = super::suffix::count(&mut cursor)?;
            cursor.end_of_line("the end of the line")?;
            let scenes = block(&mut cursor, &start, scene)?;
            steps.push(Step::Repeat(times, scenes));
        } else {
            steps.push(Step::Scene(scene(&mut cursor)?));
        }
    }
    check_last(&steps)?;
    Ok(steps)
}

fn scene(cursor: &mut Cursor<'_>) -> Result<Scene, ScriptError> {
    let start = cursor.clone();
    let scene = if cursor.take_word("any order") {
        cursor.end_of_line("the end of the line")?;
        return Ok(Scene::AnyOrder(block(cursor, &start, thread)?));
    } else if cursor.take_word("quiet") {
        cursor.blanks();
        let time = duration(cursor)?;
        Scene::Quiet(cursor.place_from(&start), time)
    } else if cursor.take_word("within") {
        cursor.blanks();
        Scene::Within(duration(cursor)?)
    } else if cursor.take("...") {
        Scene::Anything(cursor.place_from(&start))
    } else {
        return Ok(Scene::Line(super::line::parse(cursor)?));
    };
    cursor.end_of_line("the end of the line")?;
    Ok(scene)
}

/// One line, or several that stay in order.
fn thread(cursor: &mut Cursor<'_>) -> Result<Vec<Line>, ScriptError> {
    let start = cursor.clone();
    if cursor.take_word("in order") {
        cursor.end_of_line("the end of the line")?;
        return block(cursor, &start, counted);
    }
    Ok(vec![counted(cursor)?])
}

fn counted(cursor: &mut Cursor<'_>) -> Result<Line, ScriptError> {
    let start = cursor.clone();
    let line = super::line::parse(cursor)?;
    match line.times {
        Times::Exactly(_) => Ok(line),
        Times::Any => Err(start.expected("a line without `x*`, since the order is open here")),
    }
}

/// Reads up to `end`.
fn block<T>(
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

/// `...` closes a script, and what may come any number of times is followed by what ends it.
fn check_last(steps: &[Step]) -> Result<(), ScriptError> {
    let scenes: Vec<&Scene> = steps.iter().flat_map(scenes).collect();
    for (index, scene) in scenes.iter().enumerate() {
        let next = scenes.get(index + 1);
        match scene {
            Scene::Anything(place) if next.is_some() => {
                return Err(place.wrong("nothing after this step"));
            }
            Scene::Line(line) if line.times == Times::Any => {
                let ends = match next {
                    Some(Scene::Line(next)) => next.from == line.from,
                    Some(Scene::Anything(_)) => true,
                    _ => false,
                };
                if !ends {
                    let expected = "a line of the same side after `x*`, which ends it";
                    return Err(line.place.wrong(expected));
                }
            }
            _ => {}
        }
    }
    Ok(())
}

fn scenes(step: &Step) -> &[Scene] {
    match step {
        Step::Scene(scene) => std::slice::from_ref(scene),
        Step::Repeat(_, scenes) => scenes,
    }
}

/// Moves to the next step; `false` if there is none.
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
