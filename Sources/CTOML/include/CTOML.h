// The few calls of toml++ that the configuration needs: parse, then one walk over everything in the file, each thing with its place.
#pragma once
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum ctoml_kind {
  ctoml_table = 0,  // opens; closed by ctoml_end
  ctoml_array = 1,  // the same
  ctoml_end = 2,
  ctoml_string = 3,
  ctoml_integer = 4,
  ctoml_real = 5,
  ctoml_boolean = 6,
  ctoml_other = 7  // dates and times
};

// One thing of the file. Texts are lent for the call and may hold any byte.
struct ctoml_item {
  int kind;
  const char *key;  // NULL inside an array and for the root
  size_t key_length;
  uint32_t key_line, key_column;
  uint32_t line, column;
  const char *text;
  size_t text_length;
  int64_t integer;
  double real;
};

typedef void (*ctoml_visitor)(void *context, const struct ctoml_item *item);

struct ctoml_error {
  uint32_t line, column;
  char text[256];
};

// 0 when the bytes are TOML and everything was visited, in the order of the file; otherwise why not.
int ctoml_walk(const char *bytes, size_t length, void *context, ctoml_visitor visitor, struct ctoml_error *error);

#ifdef __cplusplus
}
#endif
