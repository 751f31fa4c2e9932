// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bundle/phase_router.hpp"
#include "bundle/router.hpp"
#include "layout/bspline.hpp"
#include "layout/scene.hpp"

namespace pathline::bundle {

/// Every message's own curve: the reference, and what bundling with any router and spline is.
///
/// lines    straight, from send to receive.
/// returns  curves and, for messages without a way around, straight lines; clip and style as given.
/// cost     O(messages x pieces).
layout::Segments draw_each(const layout::Segments& lines, const Router& router,
                           const layout::Spline& spline);

/// The same picture as draw_each(lines, router, {2, 1}), with every piece that messages share
/// drawn once with their weight: an inner piece of a B-spline of degree 2 depends on three
/// neighbouring nodes only, of which there are at most 16 kinds per node, and its begin and end on
/// the way from sender to receiver are added up. What is left per message are the pieces at its
/// ends.
///
/// The order of `lines` does not matter: pieces are sums of integers, in the order of the nodes.
/// cost    O(messages + nodes of the router + distinct pairs of cells x cells between them).
/// memory  384 bytes per node, besides the pieces.
layout::Segments superpose(const layout::Segments& lines, const PhaseRouter& router);

}  // namespace pathline::bundle
