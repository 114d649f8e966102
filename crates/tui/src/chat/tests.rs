//! The screen as a person sees it: inputs in, whole screens out.

mod asking;
mod changes_attack;
mod chaos;
mod choosing;
mod comparing;
mod completing;
mod display_attack;
mod editing;
mod entering_attack;
mod filling;
mod hostile;
mod input_attack;
mod keys;
mod lasting;
#[cfg(unix)]
mod links_attack;
mod loading;
mod other_requests;
mod reading;
mod rows_attack;
mod sessions;
mod showing;
mod small_screens;
mod test_ui;
mod typing_attack;
mod unread_attack;
mod widths_attack;
