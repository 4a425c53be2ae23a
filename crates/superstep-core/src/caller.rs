//! The authenticated caller of a run.

use std::{
    collections::BTreeSet,
    fmt,
    sync::{Arc, OnceLock},
};

use serde::{Deserialize, Serialize};

/// The caller of a run: an owner and their roles, or the local user, who has neither. Cheap to clone.
///
/// The program that starts the run sets it, from what it authenticated. Nothing that a client or a
/// model sends can: not the input, not the context, not the metadata. A tool may decide by it whose
/// data it reads.
///
/// ```
/// use superstep_core::caller::Caller;
///
/// let ann = Caller::new("ann").role("supervisor");
/// assert_eq!(ann.owner(), Some("ann"));
/// assert!(ann.has_role("supervisor"));
/// assert_eq!(Caller::local().owner(), None);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "StoredCaller", into = "StoredCaller")]
pub struct Caller(Option<Arc<Identity>>);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Identity {
    owner: Arc<str>,
    roles: BTreeSet<Arc<str>>,
}

/// A caller as it is stored: an object, which is empty for the local user.
#[derive(Serialize, Deserialize)]
#[serde(rename = "Caller")]
struct StoredCaller {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    owner: Option<Arc<str>>,
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    roles: BTreeSet<Arc<str>>,
}

impl From<Caller> for StoredCaller {
    fn from(Caller(identity): Caller) -> Self {
        let (owner, roles) = match identity {
            Some(identity) => (Some(identity.owner.clone()), identity.roles.clone()),
            None => (None, BTreeSet::new()),
        };
        Self { owner, roles }
    }
}

impl From<StoredCaller> for Caller {
    fn from(StoredCaller { owner, roles }: StoredCaller) -> Self {
        Self(owner.map(|owner| Arc::new(Identity { owner, roles })))
    }
}

impl Caller {
    /// An owner, by name.
    pub fn new(owner: impl Into<Arc<str>>) -> Self {
        Self(Some(Arc::new(Identity {
            owner: owner.into(),
            roles: BTreeSet::new(),
        })))
    }

    /// The local user: the command line, and runs that a program starts for no owner.
    pub const fn local() -> Self {
        Self(None)
    }

    /// The same owner with one more role. The local user has none.
    #[must_use]
    pub fn role(mut self, role: impl Into<Arc<str>>) -> Self {
        if let Some(identity) = &mut self.0 {
            Arc::make_mut(identity).roles.insert(role.into());
        }
        self
    }

    /// The owner; `None` for the local user.
    pub fn owner(&self) -> Option<&str> {
        self.0.as_ref().map(|identity| &*identity.owner)
    }

    /// The roles of the owner, in order of name.
    pub fn roles(&self) -> impl Iterator<Item = &str> {
        let identity = self.0.iter();
        identity.flat_map(|identity| identity.roles.iter().map(|role| &**role))
    }

    /// Whether the owner has a role.
    pub fn has_role(&self, role: &str) -> bool {
        let identity = self.0.as_ref();
        identity.is_some_and(|identity| identity.roles.contains(role))
    }

    /// Whether it is the local user.
    pub fn is_local(&self) -> bool {
        self.0.is_none()
    }

    /// The local user, by reference.
    pub(crate) fn local_ref() -> &'static Self {
        static LOCAL: OnceLock<Caller> = OnceLock::new();
        LOCAL.get_or_init(Self::default)
    }
}

/// An owner without roles.
impl From<&str> for Caller {
    fn from(owner: &str) -> Self {
        Self::new(owner)
    }
}

/// An owner without roles.
impl From<String> for Caller {
    fn from(owner: String) -> Self {
        Self::new(owner)
    }
}

impl fmt::Display for Caller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.owner().unwrap_or("the local user"))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_caller_is_read_as_it_was_stored_and_the_local_user_is_a_caller_too() {
        let ann = Caller::new("ann").role("clerk").role("admin");
        let stored = serde_json::to_value(&ann).unwrap();
        assert_eq!(
            stored,
            json!({ "owner": "ann", "roles": ["admin", "clerk"] })
        );
        assert_eq!(serde_json::from_value::<Caller>(stored).unwrap(), ann);
        let local = serde_json::to_value(Some(Caller::local())).unwrap();
        assert_eq!(local, json!({}));
        let read: Option<Caller> = serde_json::from_value(local).unwrap();
        assert_eq!(read, Some(Caller::local()));
        assert!(Caller::local().role("admin").is_local());
    }
}
