//! The fields of a typed state, and whether a stored state of the same version has the same ones.
//!
//! What is stored is one hash of all fields ([`StateVersion`]) and their names
//! ([`Layout::channels`]). The hash is made of one text per field, so the texts of the fields that
//! were stored, in the order in which they were, tell whether one of them changed; fields beyond
//! them are additions. The caller is [`crate::graph_state::GraphState::restore`].

use std::any::TypeId;

use crate::record::{Layout, StateVersion};

/// One field of a typed state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldShape {
    /// Its name.
    pub name: &'static str,
    /// Its type, within this program.
    pub ty: TypeId,
    /// Name, type, reducer and how long it is kept, whatever paths the types were written with.
    pub shape: &'static str,
    /// The same with the paths as they are written, which earlier versions stored.
    pub spelled: &'static str,
    /// Whether a stored state may lack it: it is an `Option`, has a default for serde, or is not
    /// kept.
    pub optional: bool,
}

impl FieldShape {
    /// A hash of its name, type and reducer.
    pub fn hash(&self) -> u64 {
        fingerprint([self.shape].into_iter())
    }
}

/// The version and the fields of a typed state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StateShape {
    /// The declared version.
    pub version: u32,
    /// Its fields.
    pub fields: &'static [FieldShape],
}

impl StateShape {
    /// What is stored with each record.
    pub fn stored(&self) -> StateVersion {
        StateVersion {
            version: self.version,
            fingerprint: fingerprint(self.fields.iter().map(|field| field.shape)),
        }
    }

    /// A hash of the fields with these names; nothing if one of them is no field.
    pub fn hash_of<'a>(&self, names: impl IntoIterator<Item = &'a str>) -> Option<u64> {
        let shape = |name| self.field(name).map(|field| field.shape);
        let mut shapes: Vec<&str> = names.into_iter().map(shape).collect::<Option<_>>()?;
        shapes.sort_unstable();
        shapes.dedup();
        Some(fingerprint(shapes.into_iter()))
    }

    /// The field of that name.
    pub fn field(&self, name: &str) -> Option<&FieldShape> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// Whether what was stored under the same version can be read as it is; else why not.
    pub(crate) fn reads(&self, layout: &Layout, stored: &StateVersion) -> Result<(), String> {
        if *stored == self.stored() {
            return Ok(());
        }
        let version = self.version;
        let still = format!("but the state's version is still {version}");
        let mut known = Vec::with_capacity(layout.channels.len());
        for name in &layout.channels {
            let Some(field) = self.field(name) else {
                return Err(format!("the field `{name}` is gone, {still}"));
            };
            known.push(field);
        }
        let same = |text: fn(&FieldShape) -> &'static str| {
            fingerprint(known.iter().map(|field| text(field))) == stored.fingerprint
        };
        if !same(|field| field.shape) && !same(|field| field.spelled) {
            return Err(format!("the type or reducer of a field changed, {still}"));
        }
        let new = |field: &&FieldShape| !known.iter().any(|old| old.name == field.name);
        match self.fields.iter().filter(new).find(|new| !new.optional) {
            None => Ok(()),
            Some(field) => Err(format!(
                "the field `{}` is new and neither an `Option` nor `#[serde(default)]`, {still}",
                field.name
            )),
        }
    }
}

/// A hash that is the same on every machine and for every compiler.
fn fingerprint(texts: impl Iterator<Item = &'static str>) -> u64 {
    let bytes = texts.flat_map(str::bytes);
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn field(name: &'static str, shape: &'static str, optional: bool) -> FieldShape {
        FieldShape {
            name,
            ty: TypeId::of::<()>(),
            shape,
            spelled: shape,
            optional,
        }
    }

    const A: FieldShape = field("a", "a:u32:Last;", false);
    const B: FieldShape = field("b", "b:Vec<String>:Append;", false);
    const NOTE: FieldShape = field("note", "note:Option<String>:Last;", true);

    fn shape(fields: &'static [FieldShape]) -> StateShape {
        StateShape { version: 1, fields }
    }

    /// How `new` reads what `old` stored.
    fn reads(new: &'static [FieldShape], old: &'static [FieldShape]) -> Result<(), String> {
        let layout = Layout {
            channels: old.iter().map(|field| field.name.into()).collect(),
            ..Layout::default()
        };
        shape(new).reads(&layout, &shape(old).stored())
    }

    #[test]
    fn a_fingerprint_is_the_one_that_earlier_versions_stored() {
        assert_eq!(fingerprint([].into_iter()), 0xcbf2_9ce4_8422_2325);
        assert_eq!(
            fingerprint(["ab", "c"].into_iter()),
            fingerprint(["abc"].into_iter())
        );
    }

    #[test]
    fn order_and_optional_additions_do_not_matter() {
        assert_eq!(reads(&[A, B], &[A, B]), Ok(()));
        assert_eq!(reads(&[B, A], &[A, B]), Ok(()));
        assert_eq!(reads(&[NOTE, B, A], &[A, B]), Ok(()));
    }

    #[test]
    fn the_spelling_of_earlier_versions_is_known() {
        const SPELLED: FieldShape = FieldShape {
            spelled: "a:std::primitive::u32:Last;",
            ..A
        };
        const STORED: FieldShape = field("a", "a:std::primitive::u32:Last;", false);
        assert_eq!(reads(&[SPELLED, NOTE], &[STORED]), Ok(()));
    }

    #[test]
    fn what_is_gone_new_or_different_is_named() {
        let gone = reads(&[A], &[A, B]).unwrap_err();
        assert!(gone.contains("`b` is gone"), "{gone}");
        let new = reads(&[A, B], &[A]).unwrap_err();
        assert!(new.contains("`b` is new"), "{new}");
        const LONG: FieldShape = field("a", "a:u64:Last;", false);
        let other = reads(&[LONG], &[A]).unwrap_err();
        assert!(other.contains("type or reducer"), "{other}");
    }
}
