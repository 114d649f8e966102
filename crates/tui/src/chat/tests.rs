//! Tests of the whole screen: inputs in, screens out.

mod attachments;
mod completion;
mod disk_comparison;
mod display_attack;
mod editor;
mod focus_attack;
mod forged_rows_attack;
mod forms;
mod hostile_text;
mod keys;
#[cfg(unix)]
mod links_and_moves_attack;
mod other_requests;
mod permission_dialog;
mod pickers;
mod random_input;
mod remembered_decisions;
mod screens;
mod sessions;
mod small_screens;
mod test_ui;
mod tool_input_attack;
mod transcript_reading;
mod typing_attack;
mod unread_attack;
mod unread_changes_attack;
mod widths_attack;
