//! What holds now, as opposed to what has happened.

use attache_schema::v1;

use super::plans::Plans;

#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct State {
    pub(super) plan: Option<v1::Plan>,
    pub(super) plans: Plans,
    pub(super) commands: Option<v1::AvailableCommandsUpdate>,
    pub(super) mode: Option<v1::CurrentModeUpdate>,
    pub(super) config: Option<v1::ConfigOptionUpdate>,
    pub(super) title: Option<String>,
    pub(super) updated_at: Option<String>,
    pub(super) usage: Option<v1::UsageUpdate>,
    /// The entry of the compaction that was last spoken of.
    pub(super) compaction: Option<usize>,
}
