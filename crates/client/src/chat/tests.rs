//! The screen as a person sees it: inputs in, whole screens out.

mod asking;
mod chaos;
mod choosing;
mod comparing;
mod completing;
mod editing;
mod filling;
mod hostile;
mod keys;
mod loading;
mod other_requests;
mod reading;
mod sessions;
mod showing;
mod stage;
