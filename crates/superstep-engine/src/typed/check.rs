//! What is wrong with a graph: all of it, not just the first thing.

use std::{collections::HashSet, sync::Arc};

use superstep_core::plan::BuildError;

use super::{
    builder::{DeclaredNode, GraphBuilder, Nesting},
    nodes::Nodes,
    state::State,
};

impl<S: State, N: Nodes> GraphBuilder<S, N> {
    pub(super) fn mistakes(&self) -> Vec<BuildError> {
        let mut errors = self.bad_entries();
        errors.extend(self.mistakes.iter().cloned());
        if self.starts.is_empty() && self.routes.iter().all(|route| route.from.is_some()) {
            errors.push(BuildError::NoEntry);
        }
        let reached = self.reached();
        for node in N::ALL {
            let name: Arc<str> = node.name().into();
            if !self.nodes.iter().any(|entry| entry.node == *node) {
                errors.push(BuildError::Missing(name));
                continue;
            }
            if !reached.contains(&node.index()) {
                errors.push(BuildError::Unreachable(name.clone()));
            }
            if !self.leads_on(*node) {
                errors.push(BuildError::DeadEnd(name));
            }
        }
        errors.extend(self.nodes.iter().flat_map(|entry| self.unmet(entry)));
        errors.extend(self.bad_payloads());
        errors.extend(
            self.joins
                .iter()
                .flat_map(|(from, to)| self.bad_join(from, *to)),
        );
        errors
    }

    fn bad_entries(&self) -> Vec<BuildError> {
        let mut seen = HashSet::new();
        let twice = self
            .nodes
            .iter()
            .filter(|entry| !seen.insert(entry.node.index()));
        twice
            .map(|entry| BuildError::DuplicateNode(entry.node.name().into()))
            .collect()
    }

    /// What a node leads to, on whatever condition.
    fn targets(&self, from: N) -> impl Iterator<Item = N> {
        let of = move |all: &'_ [(N, Vec<N>)]| -> Vec<N> {
            let own = all.iter().filter(move |(source, _)| *source == from);
            own.flat_map(|(_, targets)| targets.iter().copied())
                .collect()
        };
        let edges = self
            .edges
            .iter()
            .filter(move |(source, _)| *source == from)
            .map(|(_, to)| *to);
        let joins = self
            .joins
            .iter()
            .filter(move |(all, _)| all.contains(&from))
            .map(|(_, to)| *to);
        let routes = self
            .routes
            .iter()
            .filter(move |route| route.from == Some(from));
        let routed = routes.flat_map(|route| route.targets.iter().copied());
        let all: Vec<N> = edges.chain(joins).chain(routed).collect();
        all.into_iter()
            .chain(of(&self.commands))
            .chain(of(&self.sends))
    }

    fn reached(&self) -> HashSet<usize> {
        let entries = self.routes.iter().filter(|route| route.from.is_none());
        let entries = entries.flat_map(|route| route.targets.iter().copied());
        let mut open: Vec<N> = self.starts.iter().copied().chain(entries).collect();
        let mut reached = HashSet::new();
        while let Some(node) = open.pop() {
            if reached.insert(node.index()) {
                open.extend(self.targets(node));
            }
        }
        reached
    }

    fn leads_on(&self, node: N) -> bool {
        let declares = |all: &[(N, Vec<N>)]| all.iter().any(|(from, _)| *from == node);
        self.finishes.contains(&node)
            || declares(&self.commands)
            || declares(&self.sends)
            || self.routes.iter().any(|route| route.from == Some(node))
            || self.targets(node).next().is_some()
    }

    fn unmet(&self, entry: &DeclaredNode<S, N>) -> Vec<BuildError> {
        let name: Arc<str> = entry.node.name().into();
        let mut errors = Vec::new();
        for needs in entry.needs() {
            let missing = needs
                .resources
                .iter()
                .filter(|(id, _)| !self.resources.has(*id));
            errors.extend(missing.map(|(_, resource)| BuildError::NoResource {
                node: name.clone(),
                resource,
            }));
            if let Some(input) = needs.input
                && needs.payload
                && self.reached_without_payload(entry.node)
            {
                errors.push(BuildError::NeedsInput {
                    node: name.clone(),
                    input: input.name,
                });
            }
            if let (Some(declared), Some(taken)) = (self.context, needs.context)
                && declared != taken
            {
                errors.push(BuildError::OtherContext {
                    node: name.clone(),
                    taken: taken.name,
                    declared: declared.name,
                });
            }
        }
        if entry.takes_store() && self.lacks_store() {
            errors.push(BuildError::NoStore(name));
        }
        errors
    }

    /// Declared payloads that their target does not take.
    fn bad_payloads(&self) -> Vec<BuildError> {
        let mut errors = Vec::new();
        for (from, to, sent) in &self.payloads {
            let entry = self.nodes.iter().find(|entry| entry.node == *to);
            let taken = entry.and_then(|entry| entry.handler.needs.input);
            if entry.is_some() && taken != Some(*sent) {
                errors.push(BuildError::OtherPayload {
                    from: from.name().into(),
                    node: to.name().into(),
                    sent: sent.name,
                    taken: taken.map_or("no input", |taken| taken.name),
                });
            }
        }
        errors
    }

    fn lacks_store(&self) -> bool {
        self.place == Nesting::Root && self.backends.store.is_none()
    }

    fn reached_without_payload(&self, node: N) -> bool {
        let commanded = self
            .commands
            .iter()
            .any(|(_, targets)| targets.contains(&node));
        let routed = self
            .routes
            .iter()
            .any(|route| route.targets.contains(&node));
        self.starts.contains(&node)
            || self.edges.iter().any(|(_, to)| *to == node)
            || self.joins.iter().any(|(_, to)| *to == node)
            || commanded
            || routed
    }

    /// A join waits for ever if something can start some of its sources and not the others. What
    /// runs in every run cannot be skipped; declared sends count as made.
    fn bad_join(&self, from: &[N], to: N) -> Vec<BuildError> {
        if from.is_empty() {
            return vec![BuildError::EmptyJoin(to.name().into())];
        }
        let always = self.certain(self.starts.clone());
        let mut causes = vec![self.starts.clone()];
        let routed = self.routes.iter().map(|route| (route.from, &route.targets));
        let commanded = self.commands.iter();
        let commanded = commanded.map(|(from, targets)| (Some(*from), targets));
        for (from, targets) in routed.chain(commanded) {
            let before = from.map_or_else(|| self.starts.clone(), |from| vec![from]);
            for target in targets {
                causes.push([before.as_slice(), &[*target]].concat());
            }
            causes.push(before);
        }
        let mut skippable: Vec<N> = Vec::new();
        for cause in causes {
            let certain = self.certain(cause);
            let runs =
                |node: &&N| certain.contains(&node.index()) || always.contains(&node.index());
            if from.iter().any(|node| runs(&node)) {
                skippable.extend(from.iter().filter(|node| !runs(node)));
            }
        }
        let mut seen = HashSet::new();
        skippable
            .into_iter()
            .filter(|node| seen.insert(node.index()))
            .map(|node| BuildError::SkippableJoin {
                target: to.name().into(),
                source_node: node.name().into(),
            })
            .collect()
    }

    /// What runs for certain once these nodes do: whatever plain edges, sends and joins lead to.
    fn certain(&self, mut open: Vec<N>) -> HashSet<usize> {
        let mut certain = HashSet::new();
        loop {
            while let Some(node) = open.pop() {
                if certain.insert(node.index()) {
                    let own = self.edges.iter().filter(|(from, _)| *from == node);
                    open.extend(own.map(|(_, to)| *to));
                    let sent = self.sends.iter().filter(|(from, _)| *from == node);
                    open.extend(sent.flat_map(|(_, targets)| targets.iter().copied()));
                }
            }
            let due = self.joins.iter().filter(|(from, to)| {
                !certain.contains(&to.index()) && from.iter().all(|n| certain.contains(&n.index()))
            });
            open.extend(due.map(|(_, to)| *to));
            if open.is_empty() {
                return certain;
            }
        }
    }
}
