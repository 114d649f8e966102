//! Where everything goes. What is written and the state always have a place, the transcript has the rest.

use ratatui::layout::Rect;

/// How many rows each part would like.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wants {
    pub(super) plan: usize,
    pub(super) waiting: usize,
    pub(super) panel: u16,
    /// With fewer rows the panel does not show what has to be seen; the transcript and the header give way to it.
    pub(super) panel_least: u16,
    pub(super) composer: u16,
}

/// Where each part goes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Places {
    pub(super) header: Rect,
    pub(super) transcript: Rect,
    pub(super) plan: Rect,
    pub(super) waiting: Rect,
    pub(super) panel: Rect,
    pub(super) composer: Rect,
    pub(super) status: Rect,
}

impl Places {
    pub(super) fn of(area: Rect, wants: &Wants) -> Places {
        let below = 1 + wants.composer;
        let for_panel = area.height.saturating_sub(below);
        let header = u16::from(wants.panel_least < for_panel);
        let mut rows = Rows {
            area,
            bottom: area.bottom(),
            left: area.height.saturating_sub(header),
        };
        let status = rows.take(1, 0);
        let composer = rows.take(wants.composer, 0);
        let transcript = match wants.panel_least {
            1.. if area.height < LOW => 0,
            least => TRANSCRIPT.min(rows.left.saturating_sub(least)),
        };
        let panel = rows.take(wants.panel, transcript);
        let waiting = rows.take(u16::try_from(wants.waiting).unwrap_or(0), TRANSCRIPT);
        let plan = rows.take(u16::try_from(wants.plan).unwrap_or(0), TRANSCRIPT);
        let transcript = rows.take(rows.left, 0);
        let header = Rect {
            height: header,
            ..area
        };
        Places {
            header,
            transcript,
            plan,
            waiting,
            panel,
            composer,
            status,
        }
    }
}

/// The rows that are left, given away from the bottom.
struct Rows {
    area: Rect,
    bottom: u16,
    left: u16,
}

impl Rows {
    /// Takes rows, but leaves `least` of them.
    fn take(&mut self, wanted: u16, least: u16) -> Rect {
        let height = wanted.min(self.left.saturating_sub(least));
        self.left -= height;
        self.bottom -= height;
        Rect {
            y: self.bottom,
            height,
            ..self.area
        }
    }
}

/// On a screen with fewer rows a request has all of them.
const LOW: u16 = 16;
/// Rows that the transcript keeps when others want much.
const TRANSCRIPT: u16 = 3;
