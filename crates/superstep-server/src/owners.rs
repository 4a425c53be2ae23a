//! Owners, their login, what they may answer, and what belongs to each: graphs and a long-term store. `guard` keeps them apart.

pub(crate) mod answer_rule;
pub(crate) mod graphs;
pub(crate) mod login;
pub(crate) mod private_paths;
pub(crate) mod store;
pub(crate) mod tokens;
pub(crate) mod visitor;

/// The longest name of an owner, in bytes.
const LONGEST_NAME: usize = 200;

/// Refuses what cannot be the name of an owner. Subjects of identity providers and addresses can.
pub(crate) fn check_name(name: &str) -> Result<(), String> {
    // Agents may name files by it.
    let is_odd = |c: char| c.is_control() || c.is_whitespace() || "/\\".contains(c);
    let is_empty = name.trim_matches('.').is_empty();
    match is_empty || name.len() > LONGEST_NAME || name.contains(is_odd) {
        false => Ok(()),
        true => Err(format!(
            "`{}` is no name of an owner: up to {LONGEST_NAME} bytes without spaces and slashes are",
            name.escape_debug()
        )),
    }
}
