//! Paints plans as checklists.

use attache::v1;
use attache_text::plain;
use ratatui::text::{Line, Span};

use super::theme::{Sign, TextRole};
use super::{Appearance, markdown, wrap};

/// Paints a plan as a checklist: the status and text of each step, and its priority unless it is medium.
pub fn lines(plan: &v1::Plan, appearance: &Appearance, width: u16) -> Vec<Line<'static>> {
    steps(&plan.entries, appearance, width)
}

/// Paints a plan with an id, in any of its forms.
pub fn lines_of(
    plan: &v1::PlanUpdateContent,
    appearance: &Appearance,
    width: u16,
) -> Vec<Line<'static>> {
    match plan {
        v1::PlanUpdateContent::Items(plan) => steps(&plan.entries, appearance, width),
        v1::PlanUpdateContent::Markdown(plan) => markdown::lines(&plan.content, appearance, width),
        v1::PlanUpdateContent::File(plan) => {
            let text = format!("plan: {}", plain::line(&plan.uri));
            wrap::spans(vec![Span::raw(text)], usize::from(width))
        }
        v1::PlanUpdateContent::Other(_) => unknown_form(appearance, width),
        _ => unknown_form(appearance, width),
    }
}

fn unknown_form(appearance: &Appearance, width: u16) -> Vec<Line<'static>> {
    let style = appearance.theme.style(TextRole::Dim);
    let text = Span::styled("a plan in an unknown form", style);
    wrap::spans(vec![text], usize::from(width))
}

/// The progress of a plan in one line: `2/5 current step`.
pub fn summary(plan: &v1::Plan, appearance: &Appearance, width: u16) -> Line<'static> {
    let is_done = |step: &&v1::PlanEntry| step.status == v1::PlanEntryStatus::Completed;
    let done = plan.entries.iter().filter(is_done).count();
    let mut open = plan.entries.iter().filter(|step| !is_done(step));
    let now = plan
        .entries
        .iter()
        .find(|step| step.status == v1::PlanEntryStatus::InProgress);
    let now = now
        .or_else(|| open.next())
        .map_or("all done", |step| &step.content);
    let figures = format!("{done}/{} ", plan.entries.len());
    let spans = vec![
        Span::styled(figures, appearance.theme.style(TextRole::Strong)),
        Span::raw(plain::line(now).into_owned()),
    ];
    Line::from(wrap::cut_spans(spans, usize::from(width)))
}

fn steps(steps: &[v1::PlanEntry], appearance: &Appearance, width: u16) -> Vec<Line<'static>> {
    let shown = steps.iter().take(STEPS);
    let mut lines: Vec<_> = shown
        .flat_map(|step| self::step(step, appearance, width))
        .collect();
    if let Some(more) = steps.len().checked_sub(STEPS).filter(|more| *more > 0) {
        let text = format!("{} {more} more steps", appearance.theme.sign(Sign::More));
        lines.push(Line::styled(text, appearance.theme.style(TextRole::Dim)));
    }
    lines
}

fn step(step: &v1::PlanEntry, appearance: &Appearance, width: u16) -> Vec<Line<'static>> {
    let (sign, role, text) = match &step.status {
        v1::PlanEntryStatus::Completed => (Sign::Done, TextRole::Good, TextRole::Dim),
        v1::PlanEntryStatus::InProgress => (Sign::Running, TextRole::Running, TextRole::Strong),
        _ => (Sign::Pending, TextRole::Dim, TextRole::Text),
    };
    let theme = &appearance.theme;
    let first = [Span::styled(
        format!("{} ", theme.sign(sign)),
        theme.style(role),
    )];
    let mut spans = vec![Span::styled(
        plain::line(&step.content).into_owned(),
        theme.style(text),
    )];
    match &step.priority {
        v1::PlanEntryPriority::High => {
            spans.push(Span::styled(" (high)", theme.style(TextRole::Warning)))
        }
        v1::PlanEntryPriority::Low => {
            spans.push(Span::styled(" (low)", theme.style(TextRole::Dim)))
        }
        _ => {}
    }
    wrap::hanging(spans, usize::from(width), &first, &[Span::raw("  ")])
}

/// The most steps that are shown.
const STEPS: usize = 200;

#[cfg(test)]
mod tests {
    use attache::v1;
    use expect_test::{Expect, expect};

    use crate::paint::fixture::{appearance, assert_fits, text};
    use crate::paint::theme::Palette;

    fn check(plan: &v1::Plan, width: u16, expected: &Expect) {
        let appearance = appearance(Palette::None);
        let mut lines = super::lines(plan, &appearance, width);
        lines.push(super::summary(plan, &appearance, width));
        assert_fits(&lines, width);
        expected.assert_eq(&text(&lines));
    }

    #[test]
    fn a_plan_is_a_checklist() {
        use v1::{PlanEntryPriority as Priority, PlanEntryStatus as Status};
        let plan = v1::Plan::new(vec![
            v1::PlanEntry::new("Read the code", Priority::Medium, Status::Completed),
            v1::PlanEntry::new(
                "Change what has to be changed, and nothing else",
                Priority::High,
                Status::InProgress,
            ),
            v1::PlanEntry::new("Tell\u{202e} about it", Priority::Low, Status::Pending),
        ]);
        check(
            &plan,
            40,
            &expect![[r#"
            ✓ Read the code
            ◐ Change what has to be changed, and
              nothing else (high)
            ○ Tell� about it (low)
            1/3 Change what has to be changed, and …"#]],
        );
    }
}
