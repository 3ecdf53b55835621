//! Maximum-weight perfect matching in a complete graph of even order, by the primal-dual blossom method in dense form.
//!
//! Pairs that may not meet simply weigh nothing. Weights are kept doubled and every search grows from one root, so
//! all duals stay whole numbers: tight edges of even weight give every outer vertex of a tree the parity of its root.
//! The dual solution outlives a search, so changing one vertex's edges costs one or two searches of O(n^2), not a
//! new matching.

use super::weight::Weight;

/// A blossom: an odd cycle of nodes that the matching enters once.
#[derive(Debug)]
struct Blossom {
    /// The nodes of the cycle; the first contains the base.
    children: Vec<usize>,
    /// `links[i]` joins a vertex of child `i` with one of child `i + 1`.
    links: Vec<(usize, usize)>,
    members: Vec<usize>,
    /// For every vertex outside, the member with the least slack towards it. All members' duals move together, so
    /// this holds for as long as the blossom lives.
    closest: Vec<usize>,
    base: usize,
}

/// A node's role in the current search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Unreached,
    Outer,
    Inner,
}

/// A dense matcher whose duals persist between calls of [`Matcher::solve`].
#[derive(Debug)]
pub struct Matcher<W> {
    order: usize,
    /// Twice the weight of every edge, row by row.
    doubled: Vec<W>,
    /// Vertex duals, then blossom duals; during a search offset by `shift` as the role demands.
    dual: Vec<W>,
    mate: Vec<Option<usize>>,
    top: Vec<usize>,
    parent: Vec<Option<usize>>,
    blossoms: Vec<Option<Blossom>>,
    tops: Vec<usize>,
    /// Vertices that [`Matcher::fix`] took out.
    gone: Vec<bool>,
    // State of one search.
    role: Vec<Role>,
    /// The edge by which an inner node was reached, outer end first.
    via: Vec<(usize, usize)>,
    /// The tightest edge from an outer node to this one (far end first), with the shift at which it becomes tight
    /// (doubled for outer nodes).
    near: Vec<Option<(W, usize, usize)>>,
    queue: Vec<usize>,
    shift: W,
}

impl<W: Weight> Matcher<W> {
    /// A matcher over `order` vertices with `weight(u, v)` for `u < v`. An odd order gets one more vertex whose edges
    /// all weigh nothing.
    pub fn new(order: usize, weight: impl Fn(usize, usize) -> W) -> Self {
        let even = order + order % 2;
        let mut doubled = vec![W::default(); even * even];
        for u in 0..order {
            for v in u + 1..order {
                let w = weight(u, v).double();
                doubled[u * even + v] = w;
                doubled[v * even + u] = w;
            }
        }
        let nodes = even + even / 2;
        let mut dual = vec![W::default(); nodes];
        for v in 0..even {
            let best = doubled[v * even..(v + 1) * even].iter().max().copied().unwrap_or_default();
            // Half of twice the best weight covers each edge from both ends.
            dual[v] = best.half();
        }
        let mut matcher = Self {
            order: even,
            doubled,
            dual,
            mate: vec![None; even],
            top: (0..even).collect(),
            parent: vec![None; nodes],
            blossoms: (0..even / 2).map(|_| None).collect(),
            tops: (0..even).collect(),
            gone: vec![false; even],
            role: vec![Role::Unreached; nodes],
            via: vec![(0, 0); nodes],
            near: vec![None; nodes],
            queue: Vec::new(),
            shift: W::default(),
        };
        matcher.match_greedily();
        matcher
    }

    /// Lowers each free vertex's dual as far as it goes and takes the tight edge if its other end is free.
    fn match_greedily(&mut self) {
        for v in 0..self.order {
            if self.mate[v].is_some() {
                continue;
            }
            self.lower(v);
            let free = (0..self.order)
                .find(|&u| u != v && self.mate[u].is_none() && self.slack(u, v) == W::default());
            if let Some(u) = free {
                self.mate[u] = Some(v);
                self.mate[v] = Some(u);
            }
        }
    }

    /// Sets the dual of a vertex outside all blossoms to the least that keeps its edges feasible.
    fn lower(&mut self, v: usize) {
        let least = self
            .tops
            .iter()
            .filter(|&&x| x != v)
            .map(|&x| {
                let u = self.closest_in(x, v);
                self.doubled[u * self.order + v] - self.dual[u]
            })
            .max();
        if let Some(least) = least {
            self.dual[v] = least;
        }
    }

    /// The other end of `v`'s edge in the matching after [`Matcher::solve`]. For an odd field the extra vertex is
    /// reported like any other; an edge of weight zero means "not paired" to the caller.
    pub fn mate(&self, v: usize) -> Option<usize> {
        self.mate[v]
    }

    /// Completes the matching to an optimal perfect one.
    pub fn solve(&mut self) {
        while let Some(root) = self.tops.iter().map(|&x| self.base(x)).find(|&v| self.mate[v].is_none()) {
            if !self.search(root) {
                // Only one vertex is free, which an even order excludes.
                break;
            }
        }
    }

    /// Gives every edge of `v` a new weight. Call [`Matcher::solve`] afterwards.
    pub fn reweigh(&mut self, v: usize, weight: impl Fn(usize) -> W) {
        self.detach(v);
        for u in 0..self.order {
            if u != v {
                let w = weight(u).double();
                self.doubled[u * self.order + v] = w;
                self.doubled[v * self.order + u] = w;
            }
        }
        for slot in 0..self.blossoms.len() {
            let Some(blossom) = self.blossoms[slot].as_ref() else { continue };
            let closest = self.closest_of(blossom.members.iter().copied(), v);
            if let Some(blossom) = self.blossoms[slot].as_mut() {
                blossom.closest[v] = closest;
            }
        }
        self.lower(v);
    }

    /// Takes a matched pair out of the graph for good. Call [`Matcher::solve`] afterwards.
    pub fn fix(&mut self, u: usize, v: usize) {
        self.detach(u);
        self.detach(v);
        self.tops.retain(|&x| x != u && x != v);
        self.gone[u] = true;
        self.gone[v] = true;
    }

    /// Opens every blossom around `v` and frees `v` and its mate.
    fn detach(&mut self, v: usize) {
        while self.top[v] != v {
            self.open(self.top[v]);
        }
        if let Some(u) = self.mate[v].take() {
            self.mate[u] = None;
        }
    }

    /// Dissolves a top blossom outside a search. Half its dual goes to each member, which keeps the inner edges tight
    /// and loosens the matched edge at the base, so that edge is given up.
    fn open(&mut self, node: usize) {
        let Some(blossom) = self.blossoms[node - self.order].take() else { return };
        let half = self.dual[node].half();
        if half > W::default() {
            for &v in &blossom.members {
                self.dual[v] = self.dual[v] + half;
            }
            if let Some(u) = self.mate[blossom.base].take() {
                self.mate[u] = None;
            }
        }
        self.dual[node] = W::default();
        self.release(node, &blossom.children);
    }

    /// Makes a blossom's children top nodes in its place.
    fn release(&mut self, node: usize, children: &[usize]) {
        self.tops.retain(|&x| x != node);
        for &child in children {
            self.parent[child] = None;
            self.tops.push(child);
            for i in 0..self.size(child) {
                let v = self.member(child, i);
                self.top[v] = child;
            }
        }
    }

    fn size(&self, node: usize) -> usize {
        node.checked_sub(self.order)
            .map_or(1, |slot| self.blossoms[slot].as_ref().map_or(0, |b| b.members.len()))
    }

    fn member(&self, node: usize, i: usize) -> usize {
        node.checked_sub(self.order)
            .and_then(|slot| self.blossoms[slot].as_ref())
            .map_or(node, |b| b.members[i])
    }

    fn base(&self, node: usize) -> usize {
        node.checked_sub(self.order).and_then(|slot| self.blossoms[slot].as_ref()).map_or(node, |b| b.base)
    }

    /// The vertex of `node` with the least slack towards the vertex `outside`.
    fn closest_in(&self, node: usize, outside: usize) -> usize {
        node.checked_sub(self.order)
            .and_then(|slot| self.blossoms[slot].as_ref())
            .map_or(node, |b| b.closest[outside])
    }

    fn closest_of(&self, vertices: impl Iterator<Item = usize>, outside: usize) -> usize {
        vertices.min_by_key(|&u| self.dual[u] - self.doubled[u * self.order + outside]).unwrap_or(outside)
    }

    fn label(&self, v: usize) -> W {
        match self.role[self.top[v]] {
            Role::Unreached => self.dual[v],
            Role::Outer => self.dual[v] - self.shift,
            Role::Inner => self.dual[v] + self.shift,
        }
    }

    fn slack(&self, u: usize, v: usize) -> W {
        self.label(u) + self.label(v) - self.doubled[u * self.order + v]
    }

    /// Grows one alternating tree from `root` until it reaches another free vertex, and augments.
    fn search(&mut self, root: usize) -> bool {
        self.shift = W::default();
        self.queue.clear();
        for i in 0..self.tops.len() {
            let node = self.tops[i];
            self.role[node] = Role::Unreached;
            self.near[node] = None;
        }
        self.make_outer(self.top[root]);
        let mut augmented = false;
        loop {
            while let Some(u) = self.queue.pop() {
                self.scan(u);
            }
            let Some((shift, node)) = self.next_event() else { break };
            self.shift = shift;
            match self.role[node] {
                Role::Inner => self.expand(node),
                Role::Outer => {
                    if let Some((_, far, here)) = self.near[node] {
                        self.contract(far, here);
                    }
                }
                Role::Unreached => {
                    let Some((_, far, here)) = self.near[node] else { break };
                    let Some(next) = self.mate[self.base(node)] else {
                        self.augment(far, here);
                        augmented = true;
                        break;
                    };
                    self.make_inner(node, (far, here));
                    self.make_outer(self.top[next]);
                }
            }
        }
        self.settle();
        augmented
    }

    /// The least shift at which something happens, and where.
    fn next_event(&self) -> Option<(W, usize)> {
        let mut first: Option<(W, usize)> = None;
        for &node in &self.tops {
            let at = match self.role[node] {
                Role::Unreached => self.near[node].map(|(key, ..)| key),
                Role::Outer => self.near[node].map(|(key, ..)| key.half()),
                Role::Inner => (node >= self.order).then(|| self.dual[node].half()),
            };
            if let Some(at) = at
                && first.is_none_or(|(least, _)| at < least)
            {
                first = Some((at, node));
            }
        }
        first
    }

    fn make_outer(&mut self, node: usize) {
        self.role[node] = Role::Outer;
        self.near[node] = None;
        if node >= self.order {
            self.dual[node] = self.dual[node] - self.shift.double();
        }
        for i in 0..self.size(node) {
            let v = self.member(node, i);
            self.dual[v] = self.dual[v] + self.shift;
            self.queue.push(v);
        }
    }

    fn make_inner(&mut self, node: usize, via: (usize, usize)) {
        self.role[node] = Role::Inner;
        self.via[node] = via;
        if node >= self.order {
            self.dual[node] = self.dual[node] + self.shift.double();
        }
        for i in 0..self.size(node) {
            let v = self.member(node, i);
            self.dual[v] = self.dual[v] - self.shift;
        }
    }

    /// Turns the offset duals of a search into plain ones.
    fn settle(&mut self) {
        for i in 0..self.tops.len() {
            let node = self.tops[i];
            self.plain(node);
        }
        self.shift = W::default();
    }

    fn plain(&mut self, node: usize) {
        let role = std::mem::replace(&mut self.role[node], Role::Unreached);
        let (shift, twice) = (self.shift, self.shift.double());
        if role == Role::Unreached {
            return;
        }
        if node >= self.order {
            let z = self.dual[node];
            self.dual[node] = if role == Role::Outer { z + twice } else { z - twice };
        }
        for i in 0..self.size(node) {
            let v = self.member(node, i);
            let dual = self.dual[v];
            self.dual[v] = if role == Role::Outer { dual - shift } else { dual + shift };
        }
    }

    /// Offers the edges of a vertex that has just become outer.
    fn scan(&mut self, u: usize) {
        let home = self.top[u];
        let row = u * self.order;
        let label = self.dual[u] - self.shift;
        for i in 0..self.tops.len() {
            let node = self.tops[i];
            let role = self.role[node];
            if node == home || role == Role::Inner {
                continue;
            }
            let v = self.closest_in(node, u);
            let slack = label - self.doubled[row + v];
            if role == Role::Unreached {
                let key = slack + self.dual[v] + self.shift;
                offer(&mut self.near[node], key, u, v);
            } else {
                let key = slack + self.dual[v] + self.shift;
                offer(&mut self.near[node], key, u, v);
                offer(&mut self.near[home], key, v, u);
            }
        }
    }

    /// Recomputes the tightest edge from the outer vertices to a node that is new at the top.
    fn renear(&mut self, node: usize) {
        let mut near = None;
        let outer = self.role[node] == Role::Outer;
        for u in 0..self.order {
            let home = self.top[u];
            if home == node || self.role[home] != Role::Outer || self.gone[u] {
                continue;
            }
            let v = self.closest_in(node, u);
            let slack = self.slack(u, v);
            let key = if outer { slack + self.shift.double() } else { slack + self.shift };
            offer(&mut near, key, u, v);
        }
        self.near[node] = near;
    }

    /// The path from an outer node to the root: nodes, with the link from each to the next.
    fn path_to_root(&self, start: usize) -> Vec<(usize, (usize, usize))> {
        let mut path = Vec::new();
        let mut outer = start;
        while let Some(next) = self.mate[self.base(outer)] {
            path.push((outer, (self.base(outer), next)));
            let inner = self.top[next];
            let (from, to) = self.via[inner];
            path.push((inner, (to, from)));
            outer = self.top[from];
        }
        path.push((outer, (0, 0)));
        path
    }

    /// Makes a blossom of the cycle closed by the edge between two outer nodes.
    fn contract(&mut self, u: usize, v: usize) {
        let (mut left, mut right) = (self.path_to_root(self.top[u]), self.path_to_root(self.top[v]));
        while left.len() > 1 && right.len() > 1 && left[left.len() - 2].0 == right[right.len() - 2].0 {
            left.pop();
            right.pop();
        }
        let meet = left.pop().map_or(0, |(node, _)| node);
        right.pop();
        let mut children = vec![meet];
        let mut links = Vec::new();
        for &(node, (here, up)) in left.iter().rev() {
            links.push((up, here));
            children.push(node);
        }
        links.push((u, v));
        for &(node, link) in &right {
            children.push(node);
            links.push(link);
        }
        self.enclose(children, links);
    }

    fn enclose(&mut self, children: Vec<usize>, links: Vec<(usize, usize)>) {
        let base = self.base(children[0]);
        let twice = self.shift.double();
        let mut members = Vec::new();
        for &child in &children {
            let role = self.role[child];
            if child >= self.order {
                let z = self.dual[child];
                self.dual[child] = if role == Role::Outer { z + twice } else { z - twice };
            }
            for i in 0..self.size(child) {
                let v = self.member(child, i);
                members.push(v);
                if role == Role::Inner {
                    self.dual[v] = self.dual[v] + twice;
                    self.queue.push(v);
                }
            }
        }
        let closest = (0..self.order)
            .map(|x| self.closest_of(children.iter().map(|&c| self.closest_in(c, x)), x))
            .collect();
        let slot = self.blossoms.iter().position(Option::is_none).unwrap_or(self.blossoms.len());
        debug_assert!(
            slot < self.blossoms.len(),
            "a laminar family of odd sets has fewer than n / 2 of them"
        );
        let node = self.order + slot;
        self.tops.retain(|x| !children.contains(x));
        self.tops.push(node);
        for &child in &children {
            self.parent[child] = Some(node);
        }
        for &v in &members {
            self.top[v] = node;
        }
        self.parent[node] = None;
        self.role[node] = Role::Outer;
        self.dual[node] = W::default() - twice;
        self.blossoms[slot] = Some(Blossom { children, links, members, closest, base });
        self.renear(node);
    }

    /// Replaces an inner blossom whose dual has run out by its children: the even path between its entry and its base
    /// stays in the tree, the rest is unreached again.
    fn expand(&mut self, node: usize) {
        let entry = self.via[node];
        let at = self.child_index(node, entry.1);
        let Some(blossom) = self.blossoms[node - self.order].take() else { return };
        self.dual[node] = W::default();
        self.release(node, &blossom.children);
        let (children, links) = (&blossom.children, &blossom.links);
        let k = children.len();
        let mut roles = vec![Role::Unreached; k];
        let mut i = at;
        let mut via = entry;
        loop {
            roles[i % k] = Role::Inner;
            self.via[children[i % k]] = via;
            if i.is_multiple_of(k) {
                break;
            }
            // Odd children are matched with the next one, even ones with the previous one.
            if at % 2 == 1 {
                roles[i + 1] = Role::Outer;
                via = links[i + 1];
                i += 2;
            } else {
                roles[i - 1] = Role::Outer;
                let (to, from) = links[i - 2];
                via = (from, to);
                i -= 2;
            }
        }
        let (shift, twice) = (self.shift, self.shift.double());
        for (&child, &role) in children.iter().zip(&roles) {
            self.role[child] = role;
            self.near[child] = None;
            if child >= self.order {
                let z = self.dual[child];
                self.dual[child] = match role {
                    Role::Inner => z + twice,
                    Role::Outer => z - twice,
                    Role::Unreached => z,
                };
            }
            for j in 0..self.size(child) {
                let v = self.member(child, j);
                self.dual[v] = match role {
                    Role::Inner => self.dual[v],
                    Role::Outer => self.dual[v] + twice,
                    Role::Unreached => self.dual[v] + shift,
                };
                if role == Role::Outer {
                    self.queue.push(v);
                }
            }
        }
        for (&child, &role) in children.iter().zip(&roles) {
            if role != Role::Inner {
                self.renear(child);
            }
        }
    }

    /// Which child of `node` contains the vertex `v`.
    fn child_index(&self, node: usize, v: usize) -> usize {
        let mut child = v;
        while let Some(up) = self.parent[child] {
            if up == node {
                break;
            }
            child = up;
        }
        self.blossoms[node - self.order]
            .as_ref()
            .and_then(|b| b.children.iter().position(|&c| c == child))
            .unwrap_or(0)
    }

    /// Flips the path from the free node at `here`, through the outer vertex `far`, to the root.
    fn augment(&mut self, far: usize, here: usize) {
        self.rebase(self.top[here], here);
        self.mate[here] = Some(far);
        let (mut u, mut partner) = (far, here);
        loop {
            let outer = self.top[u];
            let next = self.mate[self.base(outer)];
            self.rebase(outer, u);
            self.mate[u] = Some(partner);
            let Some(next) = next else { return };
            let inner = self.top[next];
            let (from, to) = self.via[inner];
            self.rebase(inner, to);
            self.mate[to] = Some(from);
            (u, partner) = (from, to);
        }
    }

    /// Makes `v` the base of the node it lies in, rematching the inside.
    fn rebase(&mut self, node: usize, v: usize) {
        if node < self.order {
            return;
        }
        let at = self.child_index(node, v);
        let Some(mut blossom) = self.blossoms[node - self.order].take() else { return };
        self.rebase(blossom.children[at], v);
        let count = blossom.children.len();
        let mut i = at;
        while !i.is_multiple_of(count) {
            let (one, other, link) = if at % 2 == 1 {
                i += 2;
                (i - 1, i % count, blossom.links[i - 1])
            } else {
                i -= 2;
                let (there, here) = blossom.links[i];
                (i + 1, i, (here, there))
            };
            self.rebase(blossom.children[one], link.0);
            self.rebase(blossom.children[other], link.1);
            self.mate[link.0] = Some(link.1);
            self.mate[link.1] = Some(link.0);
        }
        blossom.children.rotate_left(at);
        blossom.links.rotate_left(at);
        blossom.base = v;
        self.blossoms[node - self.order] = Some(blossom);
    }
}

fn offer<W: Weight>(near: &mut Option<(W, usize, usize)>, key: W, far: usize, here: usize) {
    if near.is_none_or(|(least, ..)| key < least) {
        *near = Some((key, far, here));
    }
}

#[cfg(test)]
mod tests;
