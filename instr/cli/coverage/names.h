// Names of packages, classes and methods as people write them, and as JaCoCo's rules compare them.

#ifndef INSTR_CLI_COVERAGE_NAMES_H
#define INSTR_CLI_COVERAGE_NAMES_H

#include "instr/cli/coverage/model.h"

// Each gives a new string, to be freed; NULL: out of memory.

// com.acme; default for the unnamed package.
char *cover_package_name(const struct cover_package *package);
// com.acme.Shop.Cart
char *cover_class_name(const struct cover_class *class);
// com/acme/Shop.java
char *cover_source_name(const struct cover_source *source);
// com.acme.Shop.order(com.acme.Cart, int); com.acme.Shop.Shop() for a constructor;
// com.acme.Shop.static {...} for its initializer; {...} for a constructor of an anonymous class.
char *cover_method_name(const struct cover_class *class, const struct cover_method *method);

#endif
