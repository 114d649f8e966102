//! The command line: arguments, configuration, exit codes, standard output.

fn main() {}
