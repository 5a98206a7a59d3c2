/* The socket, and one request at a time. */
#include <errno.h>
#include <sys/socket.h>

struct Answer {
    cudaError_t status;
    uint64_t value;
    std::vector<char> data;
};

static int wire = -1;
static bool forked = false;

static bool send_all(const void *data, size_t bytes)
{
    for (const char *at = (const char *)data; bytes;) {
        ssize_t done = send(wire, at, bytes, MSG_NOSIGNAL);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return false;
        at += done;
        bytes -= (size_t)done;
    }
    return true;
}
static bool receive_all(void *data, size_t bytes)
{
    for (char *at = (char *)data; bytes;) {
        ssize_t done = recv(wire, at, bytes, 0);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return false;
        at += done;
        bytes -= (size_t)done;
    }
    return true;
}
/* The other side has gone: it has said why, and nothing here can go on. */
[[noreturn]] static void gone() { _exit(1); }

static void connect_once();

/* Access memory that the system could not, so that the fault is one of this program. */
static void touch(const void *place, size_t bytes, bool write)
{
    for (size_t k = 0; k < bytes; k += 4096) {
        volatile char *at = (volatile char *)place + k;
        if (write) *at = 0;
        else (void)*at;
    }
}

/* Constructed on first use: registrations run before constructors of this file may have. */
static std::recursive_mutex &one_at_a_time()
{
    static std::recursive_mutex *mutex = new std::recursive_mutex;
    return *mutex;
}

/* Ask, without a thought for whether there is anybody to ask. to: where the reply's bytes go; else into the answer. */
static Answer say(uint32_t kind, uint64_t a, uint64_t b, uint64_t c, uint64_t d, const void *data, size_t bytes, const void *more, size_t rest,
                  void *to)
{
    Request request = {kind, 0, a, b, c, d, bytes + rest};
    std::lock_guard<std::recursive_mutex> held(one_at_a_time());
    if (!send_all(&request, sizeof request)) gone();
    for (auto [from, size] : {std::pair<const void *, size_t>{data, bytes}, {more, rest}})
        if (size && !send_all(from, size)) {
            if (errno == EFAULT) touch(from, size, false); /* ends at the line that has given such a pointer */
            gone();
        }
    Reply reply;
    if (!receive_all(&reply, sizeof reply)) gone();
    Answer answer = {(cudaError_t)reply.status, reply.value, {}};
    if (reply.bytes) {
        if (!to) answer.data.resize(reply.bytes);
        if (!receive_all(to ? to : answer.data.data(), reply.bytes)) {
            if (errno == EFAULT) touch(to, reply.bytes, true);
            gone();
        }
    }
    return answer;
}
static Answer ask(uint32_t kind, uint64_t a = 0, uint64_t b = 0, uint64_t c = 0, uint64_t d = 0, const void *data = 0, size_t bytes = 0,
                  const void *more = 0, size_t rest = 0, void *to = 0)
{
    connect_once();
    if (forked) return {cudaErrorInitializationError, 0, {}};
    return say(kind, a, b, c, d, data, bytes, more, rest, to);
}
