// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/thread_pool.hpp"
#include "layout/density.hpp"
#include "layout/scene.hpp"
#include "render/image.hpp"

namespace pathline::render {

/// From line weight in a pixel to how much it covers what is below:
///
///   coverage(n) = 1 - (1 - opacity)^(n / line) (1 - floor min(1, n / line))
///
/// The first factor is repeated "over" with equal opacity. The second makes sure that a single line
/// of the smallest weight covers at least `floor`, however transparent millions had to become.
struct Opacity {
  double opacity = 1;      ///< of a line of that weight
  double floor = 0;        ///< 0 when the caller chose the opacity
  double line_weight = 1;  ///< the smallest of any line

  double coverage(double weight) const;
};

/// Opacity with which the picture can be read from a few lines to millions: the pixel at the 99th
/// percentile of those with lines is covered to 95 %, but the median of all pixels to at most 20 %
/// and stretches that are all lines to 30 %, so that lines all over the picture do not hide what
/// lies beneath, and a lone line of the smallest weight to at most 85 % and at least 8 %, or more,
/// up to 45 %, the fewer pixels have lines. With `style.opacity` given, that for the lightest line
/// and no floor. Weights that are all multiplied by the same number change nothing.
///
/// cost  one pass over the pixels.
Opacity choose_opacity(const layout::Density& raster, const layout::SegmentStyle& style);

/// The raster as pixels to be laid over the picture; the colour at a pixel is that of its mean
/// distance parameter q/n.
///
///   kAlpha     coverage as above, colour from begin to end along OKLab; exactly repeated "over"
///              where the lines in a pixel have one colour, else an order-free approximation
///   kAdditive  exposure e = asinh(n / n0) / asinh(n99 / n0) x 1.6, n0 = n99 / 20; on a dark
///              background light e colour(q/n) is added, saturating; on a light one e layers of
///              ink let colour(q/n)^e through. Linear light; `opacity` is not used
///   kOver      not available from a raster; treated as kAlpha
///
/// The same raster gives the same bytes. cost  O(pixels).
Image shade(const layout::Density& raster, const layout::SegmentStyle& style,
            const Opacity& opacity, layout::Color background, base::ThreadPool& pool);

/// Strict painter's "over": every line on top of all before it, colour changing along the line.
/// Reference for kAlpha and of the size of `segments.clip`, as the raster.
///
/// cost  O(length of all lines), one thread.
Image paint_over(const layout::Segments& segments, const Opacity& opacity);

}  // namespace pathline::render
