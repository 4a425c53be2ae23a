//! Who looks after an item of the long-term store that a caller names (`app::store_edit`).

use std::sync::Arc;

use superstep::store::{Namespace, Store};

use crate::{
    app::{App, store_edit::StoreEditor},
    owners::{self, visitor::Visitor},
    refusal::Refusal,
};

impl App {
    /// Who looks after an item that a caller names, with the store and the namespace that it has for whom it belongs to; nothing
    /// if nobody does.
    pub(super) fn editor(
        &self,
        caller: &Visitor,
        namespace: &Namespace,
        key: &str,
    ) -> Result<Option<Looked<'_>>, Refusal> {
        let (store, namespace) = match owners::store::inside(namespace) {
            // Who sees everything sees it below the name of its owner.
            Some((owner, inner)) if caller.owner().is_none() => {
                let store = owners::store::OwnerStore::new(self.store.clone(), &owner)?;
                (Arc::new(store) as Arc<dyn Store>, inner)
            }
            _ => (self.store_of(caller)?, namespace.clone()),
        };
        let editor = self.editors.iter().find(|it| it.has(&namespace, key));
        Ok(editor.map(|editor| Looked {
            editor: &**editor,
            store,
            namespace,
        }))
    }
}

/// An item that somebody looks after.
pub(super) struct Looked<'a> {
    pub(super) editor: &'a dyn StoreEditor,
    pub(super) store: Arc<dyn Store>,
    /// As it is in that store.
    pub(super) namespace: Namespace,
}
