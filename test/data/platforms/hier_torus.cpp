// SPDX-License-Identifier: BSD-3-Clause
//
// Hierarchical machine for SMPI as a platform plug-in (build as a shared object
// against libsimgrid, then give the .so to smpirun -platform).
// Every core is a host of speed 4 Gf. A node holds D dies of M modules of 2
// cores; link classes: module (shared L2), die (shared L3), node (die-die), NIC.
// Shared links inside the node, so that concurrent transfers compete.
// Host name: c<global core>; global core = ((node*D + die)*M + module)*2 + k.
#include <cstdlib>
#include <string>
#include <utility>

#include <simgrid/s4u.hpp>
namespace sg4 = simgrid::s4u;
static int env(const char* n, int d) {
  const char* v = std::getenv(n);
  return v ? std::atoi(v) : d;
}
using Net = std::pair<simgrid::kernel::routing::NetPoint*, simgrid::kernel::routing::NetPoint*>;

static Net leaf(sg4::NetZone* zone, const std::vector<unsigned long>&, unsigned long node) {
  const int D = env("PF_DIES", 2), M = env("PF_MODULES", 4);
  auto* z = sg4::create_floyd_zone("node" + std::to_string(node));
  z->set_parent(zone);
  auto* gw = z->create_router("gw" + std::to_string(node));
  std::string base = "_" + std::to_string(node);
  for (int d = 0; d < D; ++d) {
    auto tag = base + "_" + std::to_string(d);
    auto* rd = z->create_router("die" + tag);
    auto* ht = z->create_link("ht" + tag, 6e9)->set_latency(150e-9)->seal();
    z->add_route(rd, gw, nullptr, nullptr, {sg4::LinkInRoute(ht)}, true);
    for (int m = 0; m < M; ++m) {
      auto mt = tag + "_" + std::to_string(m);
      auto* rm = z->create_router("mod" + mt);
      auto* l3 = z->create_link("l3" + mt, 8e9)->set_latency(60e-9)->seal();
      z->add_route(rm, rd, nullptr, nullptr, {sg4::LinkInRoute(l3)}, true);
      for (int k = 0; k < 2; ++k) {
        long id = ((long(node) * D + d) * M + m) * 2 + k;
        auto* h = z->create_host("c" + std::to_string(id), 4e9);
        h->seal();
        auto* l2 = z->create_link("l2_" + std::to_string(id), 12e9)->set_latency(40e-9)->seal();
        z->add_route(h->get_netpoint(), rm, nullptr, nullptr, {sg4::LinkInRoute(l2)}, true);
      }
    }
  }
  z->seal();
  return {z->get_netpoint(), gw};
}
extern "C" void load_platform(const sg4::Engine& e);
void load_platform(const sg4::Engine&) {
  unsigned long X = env("PF_X", 4), Y = env("PF_Y", 4), Z = env("PF_Z", 4);
  auto* t = sg4::create_torus_zone("torus", nullptr, {X, Y, Z}, sg4::ClusterCallbacks(leaf), 2e9,
                                   0.5e-6, sg4::Link::SharingPolicy::SPLITDUPLEX);
  t->seal();
}
