//! The viewer, on screens of two sizes.
