//! What the model can do: files, commands and pages, each through the client where it offers that.
