//! One thing for each graph of a thread.

use std::collections::HashMap;

use crate::id::GraphPath;

/// One thing for each graph of a thread. Most threads have one graph, which is their own: it needs no table, of which the
/// smallest has room for four, and no hash of its name.
#[derive(Clone, Debug)]
pub struct ByGraph<T> {
    own: Option<T>,
    below: HashMap<GraphPath, T>,
}

impl<T> Default for ByGraph<T> {
    fn default() -> Self {
        Self {
            own: None,
            below: HashMap::new(),
        }
    }
}

impl<T> ByGraph<T> {
    /// Whether there is nothing.
    pub fn is_empty(&self) -> bool {
        self.own.is_none() && self.below.is_empty()
    }

    /// That of one graph.
    pub fn get(&self, graph: &GraphPath) -> Option<&T> {
        match graph.is_root() {
            true => self.own.as_ref(),
            false => self.below.get(graph),
        }
    }

    /// That of one graph.
    pub fn get_mut(&mut self, graph: &GraphPath) -> Option<&mut T> {
        match graph.is_root() {
            true => self.own.as_mut(),
            false => self.below.get_mut(graph),
        }
    }

    /// Puts something in the place of what a graph has.
    pub fn insert(&mut self, graph: GraphPath, thing: T) {
        match graph.is_root() {
            true => self.own = Some(thing),
            false => drop(self.below.insert(graph, thing)),
        }
    }

    /// All of them, the thread's own graph first.
    pub fn iter(&self) -> impl Iterator<Item = (GraphPath, &T)> {
        let own = self.own.iter().map(|own| (GraphPath::default(), own));
        own.chain(self.below.iter().map(|(graph, it)| (graph.clone(), it)))
    }

    /// All of them, the thread's own graph first.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (GraphPath, &mut T)> {
        let own = self.own.iter_mut().map(|own| (GraphPath::default(), own));
        let below = self.below.iter_mut();
        own.chain(below.map(|(graph, it)| (graph.clone(), it)))
    }

    /// Keeps those of which this is true.
    pub fn retain(&mut self, mut keeps: impl FnMut(&GraphPath, &T) -> bool) {
        self.own.take_if(|own| !keeps(&GraphPath::default(), own));
        self.below.retain(|graph, it| keeps(graph, it));
    }
}

impl<T> FromIterator<(GraphPath, T)> for ByGraph<T> {
    fn from_iter<I: IntoIterator<Item = (GraphPath, T)>>(all: I) -> Self {
        let mut things = Self::default();
        for (graph, thing) in all {
            things.insert(graph, thing);
        }
        things
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_own_graph_of_a_thread_is_one_among_the_others() {
        let path = GraphPath::from;
        let mut all: ByGraph<u32> = [(path("a:1"), 1), (path(""), 2), (path("b:1"), 3)]
            .into_iter()
            .collect();
        assert_eq!(all.get(&path("")), Some(&2));
        all.insert(path(""), 4);
        for (_, it) in all.iter_mut() {
            *it *= 10;
        }
        let mut seen: Vec<_> = all.iter().map(|(_, it)| *it).collect();
        seen.sort_unstable();
        assert_eq!(seen, [10, 30, 40]);
        all.retain(|graph, it| !graph.is_root() && *it > 10);
        assert_eq!(all.get_mut(&path("b:1")), Some(&mut 30));
        assert!(all.get(&path("")).is_none() && all.get(&path("a:1")).is_none());
        all.retain(|_, _| false);
        assert!(all.is_empty());
    }
}
