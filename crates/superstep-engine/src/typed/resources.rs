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
    pub(crate) fn insert<T: Send + Sync + 'static>(&mut self, resource: Arc<T>) {
        self.0.insert(TypeId::of::<T>(), resource);
    }

    pub(crate) fn get<T: Send + Sync + 'static>(&self) -> Option<Arc<T>> {
        self.0.get(&TypeId::of::<T>())?.clone().downcast().ok()
    }

    pub(crate) fn has(&self, id: TypeId) -> bool {
        self.0.contains_key(&id)
    }
}
