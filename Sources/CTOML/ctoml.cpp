// toml++, in this file alone: no other file is C++, none sees its headers. It throws, and nothing that is thrown leaves this file. (With
// its exceptions switched off it reads on after an error, into its own assertions.)
//
// Its assertions are checks of the input in places ("[[[" fails one), and in an optimised build it would tell the compiler that they hold:
// so they throw too, always.
#undef NDEBUG
#include <stdexcept>
#define TOML_ASSERT(expr) ((expr) ? void() : throw std::runtime_error("is no TOML"))
#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 1
#define TOML_ENABLE_FORMATTERS 0
#define TOML_ENABLE_UNRELEASED_FEATURES 0
#include "CTOML.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <toml++/toml.h>
#include <vector>

namespace {

struct Walk {
  void *context;
  ctoml_visitor visitor;

  void visit(const toml::node &node, const toml::key *key) const {
    ctoml_item item{};
    if (key) {
      item.key = key->str().data();
      item.key_length = key->str().size();
      item.key_line = key->source().begin.line;
      item.key_column = key->source().begin.column;
    }
    item.line = node.source().begin.line;
    item.column = node.source().begin.column;
    if (auto table = node.as_table()) {
      item.kind = ctoml_table;
      visitor(context, &item);
      // The library sorts by name; people read from the top.
      std::vector<std::pair<const toml::key *, const toml::node *>> entries;
      for (auto &&[name, value] : *table) entries.emplace_back(&name, &value);
      std::sort(entries.begin(), entries.end(), [](auto &a, auto &b) {
        auto x = a.first->source().begin, y = b.first->source().begin;
        return x.line != y.line ? x.line < y.line : x.column < y.column;
      });
      for (auto &[name, value] : entries) visit(*value, name);
      end();
    } else if (auto array = node.as_array()) {
      item.kind = ctoml_array;
      visitor(context, &item);
      for (auto &&value : *array) visit(value, nullptr);
      end();
    } else {
      if (auto text = node.as_string()) {
        item.kind = ctoml_string;
        item.text = text->get().data();
        item.text_length = text->get().size();
      } else if (auto integer = node.as_integer()) {
        item.kind = ctoml_integer;
        item.integer = integer->get();
      } else if (auto real = node.as_floating_point()) {
        item.kind = ctoml_real;
        item.real = real->get();
      } else if (auto boolean = node.as_boolean()) {
        item.kind = ctoml_boolean;
        item.integer = boolean->get() ? 1 : 0;
      } else {
        item.kind = ctoml_other;
      }
      visitor(context, &item);
    }
  }

  void end() const {
    ctoml_item item{};
    item.kind = ctoml_end;
    visitor(context, &item);
  }
};

}  // namespace

static int refuse(ctoml_error *error, std::string_view text, toml::source_position at) noexcept {
  error->line = at.line;
  error->column = at.column;
  auto count = std::min(text.size(), sizeof error->text - 1);
  std::memcpy(error->text, text.data(), count);
  error->text[count] = 0;
  return 1;
}

int ctoml_walk(const char *bytes, size_t length, void *context, ctoml_visitor visitor, ctoml_error *error) {
  try {
    auto table = toml::parse(std::string_view(bytes, length));
    Walk{context, visitor}.visit(table, nullptr);
    return 0;
  } catch (const toml::parse_error &failure) {
    return refuse(error, failure.description(), failure.source().begin);
  } catch (const std::exception &failure) {
    return refuse(error, failure.what(), {});
  } catch (...) {
    return refuse(error, "cannot be read", {});
  }
}
