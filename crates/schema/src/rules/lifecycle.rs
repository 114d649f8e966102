//! State machines for what only a sequence of messages can break, one value for each session.

mod compactions;
mod plans;
mod replays;
mod tool_calls;
mod turns;

pub use compactions::Compactions;
pub use plans::Plans;
pub use replays::Replays;
pub use tool_calls::ToolCalls;
pub use turns::Turns;
