#include "instr/vm/wake.h"
#include "instr/vm/agent_state.h"

#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

static struct {
    int fd; // eventfd; never closed, because any thread may be about to use it
    atomic_int woken;
    JNIEnv *jni; // while the control thread is attached
} wake = {.fd = -1};

int instr_wake_descriptor(void) {
    if (wake.fd < 0) wake.fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return wake.fd;
}

void instr_wake(void) {
    uint64_t one = 1;
    if (wake.fd < 0 || atomic_exchange(&wake.woken, 1)) return;
    if (write(wake.fd, &one, sizeof one) < 0) return; // the thread is awake already
}

bool instr_wake_taken(bool readable) {
    uint64_t ignored;
    // Read first: a call of instr_wake in between is seen now, or leaves its mark for the next time.
    bool read_any = readable && read(wake.fd, &ignored, sizeof ignored) > 0;
    return atomic_exchange(&wake.woken, 0) || read_any;
}

JNIEnv *instr_wake_jni(void) {
    JavaVMAttachArgs arguments = {JNI_VERSION_1_6, (char *)"instr control", NULL};
    JavaVM *vm = instr_agent.vm;
    if (!wake.jni &&
        (*vm)->AttachCurrentThreadAsDaemon(vm, (void **)&wake.jni, &arguments) != JNI_OK)
        wake.jni = NULL;
    return wake.jni;
}

void instr_wake_detach(void) {
    if (wake.jni) (*instr_agent.vm)->DetachCurrentThread(instr_agent.vm);
    wake.jni = NULL;
}
