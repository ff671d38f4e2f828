// Preloaded into a JVM: its date is an hour ahead of the kernel's, as if the clock were set back right after each look at it.

#include <dlfcn.h>
#include <time.h>

int clock_gettime(clockid_t clock, struct timespec *t) {
    int (*real)(clockid_t, struct timespec *);
    *(void **)&real = dlsym(RTLD_NEXT, "clock_gettime");
    int status = real(clock, t);
    if (status == 0 && clock == CLOCK_REALTIME) t->tv_sec += 3600;
    return status;
}
