/* A program run to its end: what it wrote, within a time. Lives here: processes, no meaning.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tool.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* What comes through the pipe until it ends, is full or the time is over; whether it ended. */
static bool listen_to(int pipe_end, double until_us, char *text, size_t capacity) {
    size_t used = 0;
    for (;;) {
        double left_ms = (until_us - now_us()) * 1e-3;
        struct pollfd wait = {.fd = pipe_end, .events = POLLIN};
        if (left_ms <= 0 || used + 1 == capacity) return false;
        if (poll(&wait, 1, (int)left_ms + 1) <= 0) continue;
        ssize_t got = read(pipe_end, text + used, capacity - used - 1);
        if (got == 0) return true;
        if (got < 0 && errno != EINTR) return false;
        if (got > 0) used += (size_t)got;
    }
}

static int start(char *const *arguments, int pipe_ends[2], pid_t *pid) {
    posix_spawn_file_actions_t actions;
    if (posix_spawn_file_actions_init(&actions)) return ENOMEM;
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, pipe_ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    int error = posix_spawnp(pid, arguments[0], &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

const char *run_child(char *const *arguments, double seconds, char **output) {
    enum { CAPACITY = 1 << 16 };
    int pipe_ends[2], status = 0;
    pid_t pid;
    *output = take(CAPACITY);
    if (pipe2(pipe_ends, O_CLOEXEC)) return take_text("no pipe: %s", strerror(errno));
    int error = start(arguments, pipe_ends, &pid);
    close(pipe_ends[1]);
    bool ended = !error && listen_to(pipe_ends[0], now_us() + seconds * 1e6, *output, CAPACITY);
    close(pipe_ends[0]);
    if (error) return strerror(error);
    if (!ended) kill(pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
    if (!ended) return take_text("it took more than %.0f s", seconds);
    if (WIFSIGNALED(status)) return take_text("it ended with signal %d", WTERMSIG(status));
    return WEXITSTATUS(status) ? take_text("it ended with code %d", WEXITSTATUS(status)) : NULL;
}
