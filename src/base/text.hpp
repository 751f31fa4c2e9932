// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace pathline::base {

/// A CSV field after RFC 4180: quoted when it holds a comma, a quote or a line break.
std::string csv_field(std::string_view text);

/// "8.36 MB", "1.5 GB": SI prefixes, three digits.
std::string human_bytes(double bytes);

/// "950", "12.3 k", "1.30 M": SI prefixes, three digits.
std::string human_number(double value);

/// "1.23 s", "45.6 ms", "789 ns": three digits.
std::string human_seconds(double seconds);

/// The nearest number of so many significant decimal digits.
double rounded(double value, int digits);

/// "1,234,567".
std::string human_count(uint64_t count);

/// "1 rank", "1,024 ranks".
std::string counted(uint64_t count, std::string_view one, std::string_view many);

/// The name that `word` was probably meant to be: the one with the fewest letters left out, added,
/// changed or swapped with their neighbour, at most a third of them; "" when none is that near.
/// Of several the first.
std::string_view nearest(std::string_view word, std::span<const std::string> names);

/// "--metric is 'x', expected a, b or c".
std::string not_one_of(std::string_view what, std::string_view word,
                       std::span<const std::string> names);

/// Replaces each byte that is not UTF-8, control characters and what XML forbids, so that a name
/// out of a damaged file can be shown on a terminal, in JSON and in SVG.
std::string printable(std::string_view text);

/// RFC 4648, with padding and without line breaks.
std::string base64(std::span<const uint8_t> bytes);

/// Escapes &, <, > and both quotes for HTML and SVG.
std::string html_escaped(std::string_view text);

}  // namespace pathline::base
