//! State machines for rules about sequences of messages, with one value for each session.

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
