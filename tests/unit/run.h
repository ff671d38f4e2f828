// What every program of unit tests ends with. Where an assertion would be passed by the ten
// thousand they have `if (...) ck_abort_msg(...)` instead: Check writes a record of each one that
// holds to a file, which takes longer than what is looked at.

#ifndef TESTS_RUN_H
#define TESTS_RUN_H

#include <check.h>

// Runs the suite, which it takes, as the environment says (CK_FORK, CK_VERBOSITY, ...); the status
// for main().
static inline int run_suite(Suite *suite) {
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}

#endif
