// SPDX-License-Identifier: BSD-3-Clause
#include "network/infer.hpp"

#include <optional>

#include <nlohmann/json.hpp>

#include "base/text_input.hpp"
#include "cli/json_output.hpp"

namespace pathline::cli {
namespace {

using Json = nlohmann::ordered_json;

struct InferOptions : CommonOptions {
  std::string hop_bytes;
  std::string routes;
};

Json share_of(size_t explained, size_t all) {
  return all == 0 ? Json()
                  : Json(100.0 * static_cast<double>(explained) / static_cast<double>(all));
}

Json to_json(const network::InferredNetwork& answer) {
  Json json;
  json["network"] = answer.spec;
  json["shape"] = answer.sizes;
  Json wrap = Json::array();
  for (const auto& wrapped : answer.wrap) wrap.push_back(wrapped ? Json(*wrapped) : Json());
  json["wrap"] = answer.wrap.empty() ? Json() : wrap;
  json["order"] = answer.orders.empty() ? Json() : Json(answer.orders.front());
  json["orders"] = answer.orders;
  json["ranks_per_node"] = answer.ranks_per_node;
  json["hop_lines"] = answer.hop_lines;
  json["hop_lines_explained"] = answer.hop_lines_explained;
  json["hop_lines_explained_pct"] = share_of(answer.hop_lines_explained, answer.hop_lines);
  json["routes"] = answer.routes;
  json["routes_explained"] = answer.routes_explained;
  json["routes_explained_pct"] = share_of(answer.routes_explained, answer.routes);
  json["remark"] = answer.remark.empty() ? Json() : Json(answer.remark);
  return json;
}

base::Result<int> run_infer(const InferOptions& options) {
  if (options.hop_bytes.empty() && options.routes.empty()) {
    return base::Error{base::ErrorCode::kInvalidArgument, "there is nothing to infer from",
                       "Give --hopbytes FILE, --routes FILE or both."};
  }
  std::optional<network::HopBytes> hop_bytes;
  std::optional<network::RouteFile> routes;
  if (!options.hop_bytes.empty()) {
    auto input = base::TextInput::open(options.hop_bytes);
    if (!input) return input.error();
    auto parsed =
        network::parse_hop_bytes(input.value().text(), options.hop_bytes, options.partial);
    if (!parsed) return parsed.error();
    hop_bytes = std::move(parsed).value();
  }
  if (!options.routes.empty()) {
    auto input = base::TextInput::open(options.routes);
    if (!input) return input.error();
    auto parsed = network::parse_route_file(input.value().text(), options.routes);
    if (!parsed) return parsed.error();
    routes = std::move(parsed).value();
  }
  auto answers = network::infer(hop_bytes ? &*hop_bytes : nullptr, routes ? &*routes : nullptr);
  if (!answers) return answers.error();
  if (answers.value().empty()) {
    return base::Error{base::ErrorCode::kUnsupported,
                       "no mesh, torus or XC40 of up to six dimensions fits the data"};
  }
  // The best answer, and the others behind it.
  Json json = to_json(answers.value().front());
  json["malformed_lines"] =
      (hop_bytes ? hop_bytes->malformed_lines : 0) + (routes ? routes->malformed_lines : 0);
  Json others = Json::array();
  for (size_t i = 1; i < answers.value().size(); ++i) others.push_back(to_json(answers.value()[i]));
  json["others"] = others;
  if (auto status = print_json(options, json); !status) return status.error();
  return kDone;
}

}  // namespace

void add_infer_command(Command& program, Action& action) {
  auto options = std::make_shared<InferOptions>();
  Command command = program.command("infer", "Which network explains measured hops and routes");
  command.option("--hopbytes", options->hop_bytes, "Lines SRC DST BYTES HOPS; may be gzipped");
  command.option("--routes", options->routes,
                 "Lines Hop K: [SRC-DST] N (c1 .. ck) -> N (c1 .. ck); may be gzipped");
  command.flag("--partial", options->partial, "Leave out malformed lines and count them");
  add_output(command, *options);
  add_json_format(command, *options);
  command.footer(
      "A wrap is null where the data fit a ring and a mesh; orders are all that explain as many "
      "routes.\nExamples:\n"
      "  pathline infer --hopbytes traffic.txt\n"
      "  pathline infer --hopbytes traffic.txt --routes routes.txt");
  command.on_chosen([options, &action] { action = [options] { return run_infer(*options); }; });
}

}  // namespace pathline::cli
