//! What the nodes of a graph share besides the state: clients, models, mailboxes.

use std::{
    any::{Any, TypeId},
    collections::HashMap,
    sync::Arc,
};

/// Services by type; never stored.
#[derive(Clone, Default)]
pub(crate) struct Resources(HashMap<TypeId, Arc<dyn Any + Send + Sync>>);

impl Resources {
    /// A service may be known by its trait only: what is kept is the pointer to it.
    pub(crate) fn insert<T: ?Sized + Send + Sync + 'static>(&mut self, resource: Arc<T>) {
        self.0.insert(TypeId::of::<T>(), Arc::new(resource));
    }

    pub(crate) fn get<T: ?Sized + Send + Sync + 'static>(&self) -> Option<Arc<T>> {
        let found = self.0.get(&TypeId::of::<T>())?;
        found.downcast_ref::<Arc<T>>().cloned()
    }

    pub(crate) fn has(&self, id: TypeId) -> bool {
        self.0.contains_key(&id)
    }
}
