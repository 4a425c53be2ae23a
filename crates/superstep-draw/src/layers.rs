//! Which layer each node is on, and which edges run back up.
//!
//! A depth-first walk from the start marks the edges that close a cycle; over the rest, a node
//! is one layer below the deepest node that leads to it. `sketch.rs` builds on this.

use super::NodeKind;
use super::slots::set;

/// The outcome: a layer for every node, a mark for every edge.
pub(super) struct Layers {
    pub(super) of: Vec<usize>,
    pub(super) back: Vec<bool>,
}

/// Finds the layers of nodes joined by edges `(from, to)`.
pub(super) fn assign(kinds: &[NodeKind], edges: &[(usize, usize)]) -> Layers {
    let mut next = vec![Vec::new(); kinds.len()];
    for (edge, &(from, to)) in edges.iter().enumerate() {
        if let Some(list) = next.get_mut(from) {
            list.push((edge, to));
        }
    }
    let (order, back) = walk(kinds, edges, &next);
    let down = |node: usize| {
        let ahead = next.get(node).into_iter().flatten();
        ahead
            .filter(|(edge, _)| back.get(*edge) == Some(&false))
            .map(|&(_, to)| to)
    };

    let mut of: Vec<usize> = vec![0; kinds.len()];
    let mut entered = vec![false; kinds.len()];
    for &node in &order {
        let below = of.get(node).copied().unwrap_or(0) + 1;
        for to in down(node) {
            if let (Some(layer), Some(mark)) = (of.get_mut(to), entered.get_mut(to)) {
                *layer = below.max(*layer);
                *mark = true;
            }
        }
    }

    let deepest = of.iter().copied().max().unwrap_or(0);
    for (node, (kind, entered)) in kinds.iter().zip(entered).enumerate() {
        let nearest = down(node).filter_map(|to| of.get(to)).min().copied();
        let layer = match (kind, nearest) {
            (NodeKind::End, None) => deepest,
            // A node nothing leads to would else float at the top, far from what it leads to.
            (NodeKind::Plain, Some(below)) if !entered => below.saturating_sub(1),
            _ => continue,
        };
        set(&mut of, node, layer);
    }
    Layers { of, back }
}

#[derive(Clone, Copy, PartialEq)]
enum Visited {
    Never,
    Open,
    Closed,
}

/// Walks depth first; gives the nodes so that edges not marked as back lead onwards.
fn walk(
    kinds: &[NodeKind],
    edges: &[(usize, usize)],
    next: &[Vec<(usize, usize)>],
) -> (Vec<usize>, Vec<bool>) {
    let mut entered = vec![false; kinds.len()];
    for &(from, to) in edges {
        if let Some(mark) = entered.get_mut(to).filter(|_| from != to) {
            *mark = true;
        }
    }
    let mut roots: Vec<usize> = (0..kinds.len()).collect();
    roots.sort_by_key(|&node| {
        let starts = kinds.get(node) == Some(&NodeKind::Start);
        (!starts, entered.get(node).copied())
    });

    let mut seen = vec![Visited::Never; kinds.len()];
    let mut back = vec![false; edges.len()];
    let mut order = Vec::with_capacity(kinds.len());
    let mut open = Vec::new();
    for root in roots {
        enter(root, &mut seen, next, &mut open);
        while let Some((node, rest)) = open.last_mut() {
            if let Some(&(edge, to)) = rest.next() {
                if seen.get(to) == Some(&Visited::Open) {
                    set(&mut back, edge, true);
                }
                enter(to, &mut seen, next, &mut open);
                continue;
            }
            set(&mut seen, *node, Visited::Closed);
            order.push(*node);
            open.pop();
        }
    }
    order.reverse();
    (order, back)
}

type Visit<'a> = (usize, std::slice::Iter<'a, (usize, usize)>);

fn enter<'a>(
    node: usize,
    seen: &mut [Visited],
    next: &'a [Vec<(usize, usize)>],
    open: &mut Vec<Visit<'a>>,
) {
    let (Some(mark), Some(edges)) = (seen.get_mut(node), next.get(node)) else {
        return;
    };
    if *mark == Visited::Never {
        *mark = Visited::Open;
        open.push((node, edges.iter()));
    }
}
