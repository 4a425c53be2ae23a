//! Routing between two layers: every net that is not straight gets a track to run along.
//!
//! A net comes down from its tops, runs along its track and goes down to its bottoms. Where the
//! top of one net is over the bottom of another, the first must run above the second; where
//! such rules lead in a circle, one net changes its track in a free column. `layout.rs` turns
//! the outcome into rows.

use std::collections::{BTreeMap, BTreeSet};

use super::sketch::Side;

/// Up to so many nets in a gap, tracks are also chosen for few crossings.
const CAREFUL: usize = 64;
/// Beyond every column, where the lanes are.
const FAR: i32 = i32::MAX / 2;
/// Columns from the end of one net to the start of the next on the same track.
const APART: i32 = 2;

/// A part of a wire within one gap.
#[derive(Default)]
pub(super) struct Net {
    pub(super) tops: Vec<i32>,
    pub(super) bottoms: Vec<i32>,
    /// The side it leaves the gap by, if it leads to a lane.
    pub(super) side: Option<Side>,
    /// The track at its tops and the one at its bottoms, mostly the same.
    pub(super) tracks: (usize, usize),
    /// The column in which it changes from one track to the other.
    pub(super) change: Option<i32>,
}

/// Gives nets their tracks and returns how many tracks there are.
pub(super) fn route(nets: &mut [Net]) -> usize {
    let bent = nets
        .iter()
        .enumerate()
        .filter(|(_, net)| !net.is_straight());
    let mut waiting: BTreeSet<usize> = bent.map(|(index, _)| index).collect();
    let rules = rules(nets, &waiting);
    let mut used: BTreeSet<i32> = nets.iter().flat_map(Net::columns).collect();
    let mut extents: Vec<_> = nets.iter().map(Net::extent).collect();
    // The nets whose tops have no track yet; a net that changes tracks gets two, one by one.
    let mut above = waiting.clone();
    let mut track = 0;
    while !waiting.is_empty() {
        let free = |index: &usize, kept: &[Rule]| {
            let mut rules = rules.get(index).into_iter().flatten();
            !rules.any(|(rule, other)| kept.contains(rule) && above.contains(other))
        };
        let all = [Rule::Must, Rule::Should];
        let mut ready: Vec<_> = waiting
            .iter()
            .filter(|net| free(net, &all))
            .copied()
            .collect();
        if ready.is_empty() {
            ready.extend(waiting.iter().find(|net| free(net, &[Rule::Must])));
        }
        if ready.is_empty() {
            split(nets, &mut above, &mut used, track);
            extents = nets.iter().map(Net::extent).collect();
        }
        ready.sort_by_key(|&index| extents.get(index));
        let mut end = -FAR - APART;
        for index in ready {
            let (Some(net), Some(&(left, right))) = (nets.get_mut(index), extents.get(index))
            else {
                continue;
            };
            if left < end + APART {
                continue;
            }
            end = right;
            net.tracks.1 = track;
            if above.remove(&index) {
                net.tracks.0 = track;
            }
            waiting.remove(&index);
        }
        track += 1;
    }
    track
}

impl Net {
    fn columns(&self) -> impl Iterator<Item = i32> {
        self.tops.iter().chain(&self.bottoms).copied()
    }

    fn is_straight(&self) -> bool {
        self.side.is_none() && self.tops == self.bottoms && self.tops.len() == 1
    }

    /// The columns its track spans; once it changes tracks, those of the lower one.
    fn extent(&self) -> (i32, i32) {
        let tops = self.tops.iter().filter(|_| self.change.is_none());
        let columns = || {
            tops.clone()
                .chain(&self.bottoms)
                .chain(&self.change)
                .copied()
        };
        let left = columns().min().unwrap_or(0);
        let right = columns().max().unwrap_or(0);
        match self.side {
            None => (left, right),
            Some(Side::Left) => (-FAR, right),
            Some(Side::Right) => (left, FAR),
        }
    }

    /// How often the two cross, in the part that depends on which runs above.
    fn crossings_above(&self, other: &Net) -> usize {
        let inside = |(left, right): (i32, i32), columns: &[i32]| {
            columns
                .iter()
                .filter(|&&column| left <= column && column <= right)
                .count()
        };
        inside(self.extent(), &other.tops) + inside(other.extent(), &self.bottoms)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Rule {
    Must,
    Should,
}

/// For each net, those that must or should run above it.
fn rules(nets: &[Net], bent: &BTreeSet<usize>) -> BTreeMap<usize, Vec<(Rule, usize)>> {
    let mut tops = BTreeMap::new();
    let mut rules: BTreeMap<usize, Vec<(Rule, usize)>> = BTreeMap::new();
    for (index, net) in nets.iter().enumerate() {
        tops.extend(net.tops.iter().map(|&column| (column, index)));
    }
    for (index, net) in nets.iter().enumerate() {
        let over = net.bottoms.iter().filter_map(|column| tops.get(column));
        let over = over
            .filter(|&&other| other != index)
            .map(|&other| (Rule::Must, other));
        rules.entry(index).or_default().extend(over);
    }
    if bent.len() > CAREFUL {
        return rules;
    }
    for &low in bent {
        for &high in bent {
            let (Some(lower), Some(higher)) = (nets.get(low), nets.get(high)) else {
                continue;
            };
            if higher.crossings_above(lower) < lower.crossings_above(higher) {
                rules.entry(low).or_default().push((Rule::Should, high));
            }
        }
    }
    rules
}

/// Breaks a circle of rules: gives one net a track for its tops alone, and a column to leave it.
fn split(nets: &mut [Net], above: &mut BTreeSet<usize>, used: &mut BTreeSet<i32>, track: usize) {
    let passes = |index: &usize| {
        nets.get(*index)
            .is_some_and(|net| !net.tops.is_empty() && !net.bottoms.is_empty())
    };
    let Some(index) = above
        .iter()
        .copied()
        .find(passes)
        .or(above.first().copied())
    else {
        return;
    };
    above.remove(&index);
    let Some(net) = nets.get_mut(index) else {
        return;
    };
    let (left, right) = net.extent();
    let middle = left + (right - left) / 2;
    let free = (0..FAR)
        .flat_map(|by| [middle + by, middle - by])
        .find(|x| !used.contains(x));
    net.change = free;
    net.tracks.0 = track;
    used.extend(free);
}
