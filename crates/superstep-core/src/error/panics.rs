//! What a panic said.

use std::any::Any;

/// The message of a caught panic, if it has one.
///
/// ```
/// use std::panic::catch_unwind;
/// use superstep_core::error::panic_message;
///
/// let panic = catch_unwind(|| panic!("no {}", "luck")).unwrap_err();
/// assert_eq!(panic_message(&*panic).as_deref(), Some("no luck"));
/// ```
pub fn panic_message(panic: &(dyn Any + Send)) -> Option<String> {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned())
}
