// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "base/result.hpp"
#include "layout/color.hpp"
#include "layout/scene.hpp"

namespace pathline::layout {

/// Two colours for a line from its sender to its receiver.
struct Gradient {
  Color begin;
  Color end;
};

/// Colours of what a rank does, in families that are told apart at first sight: the program's own
/// functions in greens and blues, MPI from amber to the darkest red for waiting, file I/O in
/// violet. Kept by tests: any two of all families can be told apart, also with protanopia,
/// deuteranopia and tritanopia, from `other`, and from message lines.
struct RegionShades {
  static constexpr size_t kProgram = 9;
  static constexpr size_t kMpi = 8;
  static constexpr size_t kFileIo = 3;

  /// What a shade of MPI stands for.
  enum Mpi : size_t { kStart, kSend, kReduction, kExchange, kReceive, kBarrier, kWait, kOtherMpi };

  std::array<Color, kProgram> program;
  std::array<Color, kMpi> mpi;
  std::array<Color, kFileIo> file_io;
};

/// Colours and sizes of a picture, by the role they play. Kept by tests: text >= 4.5:1 on the
/// background and >= 4.5:1 when muted, series, gradients and the row >= 3:1 (WCAG 2.1, 1.4.3
/// and 1.4.11), series told apart also with protanopia, deuteranopia and tritanopia.
struct Theme {
  static constexpr size_t kSeriesCount = 12;

  Color background;
  Color plot_background;  ///< behind data, a little off the background
  Color text;
  Color muted_text;  ///< units, secondary remarks
  Color axis;        ///< frame and tick marks
  Color grid;        ///< grid lines, below data
  Color other;       ///< "everything else", idle, unknown
  Color highlight;   ///< one thing to look at: a warning, a limit
  std::array<Color, kSeriesCount> series;
  RegionShades regions;
  Gradient messages;  ///< the gradient of --palette
  Ramp heat;          ///< heat maps: from near the background (little) to the strongest (much)
  Ramp row;           ///< things in a row, as ranks: told apart, and near ones alike
  Ramp diverging;     ///< negative to positive around a neutral middle at 0.5
  bool is_dark = false;

  double title_size_px = 17;
  double text_size_px = 12;
  double small_size_px = 11;

  /// Series colour of a category; beyond kSeriesCount they repeat as shades.
  Color series_color(size_t category) const;

  /// A colour that is used again: as it is in round 0, then lighter, darker and so on.
  Color shade(Color color, size_t round) const;

  /// A tint of `color`: a large area that others are drawn upon. `strength` 1 leaves it as it is.
  Color tint(Color color, double strength) const { return mix(background, color, strength); }
};

enum class ThemeName : unsigned char { kLight, kDark };

const Theme& light_theme();
const Theme& dark_theme();
const Theme& theme(ThemeName name);

/// "light" or "dark".
/// errors  kInvalidArgument for another name; the message lists the known ones.
base::Result<ThemeName> parse_theme(std::string_view name);

/// "blue-orange" (the default; told apart with every common colour vision), "green-red" (as in
/// Brendel et al., VPA 2016), "violet-gold", and "ink-pink", which no region has; "auto" is the
/// default. errors  kInvalidArgument for another name; the message lists the known ones.
base::Result<Gradient> message_gradient(std::string_view palette, ThemeName name);

}  // namespace pathline::layout
