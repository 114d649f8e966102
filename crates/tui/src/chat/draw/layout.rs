//! Lays out the screen. The composer and the status line always have a place; the transcript gets the remaining rows.

use ratatui::layout::Rect;

/// The number of rows that each part wants.
#[derive(Debug, Clone, Copy)]
pub(super) struct PartHeights {
    pub(super) plan: usize,
    pub(super) waiting: usize,
    pub(super) panel: u16,
    /// With fewer rows the panel can't show what has to be seen, so the transcript and the header make room for it.
    pub(super) panel_least: u16,
    pub(super) composer: u16,
}

/// The rectangle of each part.
#[derive(Debug, Clone, Copy)]
pub(super) struct ScreenLayout {
    pub(super) header: Rect,
    pub(super) transcript: Rect,
    pub(super) plan: Rect,
    pub(super) waiting: Rect,
    pub(super) panel: Rect,
    pub(super) composer: Rect,
    pub(super) status: Rect,
}

impl ScreenLayout {
    pub(super) fn new(area: Rect, heights: &PartHeights) -> ScreenLayout {
        let below = 1 + heights.composer;
        let for_panel = area.height.saturating_sub(below);
        let header = u16::from(heights.panel_least < for_panel);
        let mut rows = RowAllocator {
            area,
            bottom: area.bottom(),
            left: area.height.saturating_sub(header),
        };
        let status = rows.allocate(1, 0);
        let composer = rows.allocate(heights.composer, 0);
        let transcript = match heights.panel_least {
            1.. if area.height < LOW => 0,
            least => TRANSCRIPT.min(rows.left.saturating_sub(least)),
        };
        let panel = rows.allocate(heights.panel, transcript);
        let waiting = rows.allocate(u16::try_from(heights.waiting).unwrap_or(0), TRANSCRIPT);
        let plan = rows.allocate(u16::try_from(heights.plan).unwrap_or(0), TRANSCRIPT);
        let transcript = rows.allocate(rows.left, 0);
        let header = Rect {
            height: header,
            ..area
        };
        ScreenLayout {
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

/// Hands out rows from the bottom of the screen.
struct RowAllocator {
    area: Rect,
    bottom: u16,
    left: u16,
}

impl RowAllocator {
    /// Allocates rows, but leaves `least` of them.
    fn allocate(&mut self, wanted: u16, least: u16) -> Rect {
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

/// On a screen with fewer rows, a request gets all of them.
const LOW: u16 = 16;
/// Rows that the transcript keeps when other parts want many.
const TRANSCRIPT: u16 = 3;
