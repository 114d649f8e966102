//! The argument of a setter for an optional member: the value, or an `Option` of it.

/// A value of type `T` or what converts into it, or an `Option` of that. The compiler finds the second parameter.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is neither a `{T}`, nor an `Option` of it, nor does it convert into either"
)]
pub trait IntoOptional<T, M> {
    /// The value, if there is one.
    fn into_optional(self) -> Option<T>;
}

/// Says that the argument is a value.
#[derive(Debug)]
pub struct ByValue;

/// Says that the argument is an `Option`.
#[derive(Debug)]
pub struct ByOption;

impl<T, V: Into<T>> IntoOptional<T, ByValue> for V {
    fn into_optional(self) -> Option<T> {
        Some(self.into())
    }
}

impl<T, V: Into<T>> IntoOptional<T, ByOption> for Option<V> {
    fn into_optional(self) -> Option<T> {
        self.map(Into::into)
    }
}
