/* What clang's constructors register: PTX, kernels, variables. The device is told when it is first asked for anything. */

static size_t limits[7] = {1024, 1 << 20, 8 << 20, 2, 2048, 128, 0}; /* by cudaLimit; a kernel is compiled for the stack that it says then */

struct Module {
    const char *text;
    int64_t number; /* -1: the device does not have it yet */
};
struct Kernel {
    Module *module;
    const char *name;
    int64_t number;
    std::vector<uint64_t> about;   /* registers, shared, constant and local bytes, most threads */
    std::vector<uint64_t> offsets; /* of parameters, and their sizes */
    size_t parameter_bytes;
};
struct Variable {
    Module *module;
    const char *name;
    size_t bytes;
    uint64_t address;
};
struct Registry {
    std::vector<Module *> modules;
    std::map<const void *, Kernel> kernels;
    std::map<const void *, Variable> variables;
};
static Registry &registry()
{
    static Registry *all = new Registry;
    return *all;
}

static cudaDeviceProp properties;
static uint64_t memory_bytes;
static std::atomic<bool> connected{false};

static void connect_once()
{
    if (connected) return;
    std::lock_guard<std::recursive_mutex> held(one_at_a_time());
    if (connected) return;
    if (wire < 0) {
        fputs("warploom: this program needs a device: start it with `warploom run`\n", stderr);
        _exit(1);
    }
    Answer hello = say(HELLO, VERSION, 0, 0, 0, 0, 0, 0, 0, 0);
    memory_bytes = hello.value;
    memcpy(&properties, hello.data.data(), hello.data.size() < sizeof properties ? hello.data.size() : sizeof properties);
    for (Module *module : registry().modules)
        module->number = (int64_t)say(MODULE, 0, 0, 0, 0, module->text, strlen(module->text), 0, 0, 0).value;
    connected = true;
}

static Kernel *kernel_of(const void *stub, cudaError_t *error)
{
    connect_once();
    auto found = registry().kernels.find(stub);
    *error = cudaErrorInvalidDeviceFunction;
    if (found == registry().kernels.end()) return nullptr;
    Kernel &kernel = found->second;
    if (kernel.number < 0) {
        Answer answer = ask(FUNCTION, kernel.module->number, limits[cudaLimitStackSize], 0, 0, kernel.name, strlen(kernel.name));
        *error = answer.status;
        if (answer.status != cudaSuccess) return nullptr;
        const uint64_t *numbers = (const uint64_t *)answer.data.data();
        size_t count = answer.data.size() / sizeof(uint64_t);
        kernel.about.assign(numbers, numbers + 5);
        kernel.offsets.assign(numbers + 5, numbers + count);
        kernel.parameter_bytes = 0;
        for (size_t k = 0; k + 1 < kernel.offsets.size(); k += 2)
            if (kernel.offsets[k] + kernel.offsets[k + 1] > kernel.parameter_bytes) kernel.parameter_bytes = kernel.offsets[k] + kernel.offsets[k + 1];
        kernel.number = (int64_t)answer.value;
    }
    *error = cudaSuccess;
    return &kernel;
}
static Variable *variable_of(const void *symbol, cudaError_t *error)
{
    connect_once();
    auto found = registry().variables.find(symbol);
    *error = cudaErrorInvalidSymbol;
    if (found == registry().variables.end()) return nullptr;
    Variable &variable = found->second;
    if (!variable.address) {
        Answer answer = ask(SYMBOL, variable.module->number, 0, 0, 0, variable.name, strlen(variable.name));
        *error = answer.status;
        if (answer.status != cudaSuccess) return nullptr;
        variable.address = answer.value;
    }
    *error = cudaSuccess;
    return &variable;
}

/* Variables that say __managed__ lie in a section of their own, with a copy on the host. Before anything of the program runs, the copy
   holds what the variable does; from then on both hold the same before a launch and after it. */
extern "C" char __start_warploom_managed[] __attribute__((weak, visibility("hidden")));
extern "C" char __stop_warploom_managed[] __attribute__((weak, visibility("hidden")));
static void mirror_variable(char *host, uint64_t device, size_t bytes);
static void managed_variables()
{
    for (auto &[host, variable] : registry().variables) {
        char *place = (char *)host;
        if (place < __start_warploom_managed || place >= __stop_warploom_managed || variable.address) continue;
        cudaError_t error;
        if (variable_of(host, &error)) mirror_variable(place, variable.address, variable.bytes);
    }
}

extern "C" {
struct Wrapper {
    int magic, version;
    const char *data;
    void *unused;
};
void **__cudaRegisterFatBinary(void *wrapper)
{
    Module *module = new Module{((Wrapper *)wrapper)->data, -1};
    registry().modules.push_back(module);
    if (connected) module->number = (int64_t)say(MODULE, 0, 0, 0, 0, module->text, strlen(module->text), 0, 0, 0).value;
    return (void **)module;
}
void __cudaRegisterFatBinaryEnd(void **) { managed_variables(); }
void __cudaUnregisterFatBinary(void **) {}
void __cudaRegisterFunction(void **module, const char *stub, char *, const char *name, int, void *, void *, void *, void *, int *)
{
    registry().kernels[stub] = Kernel{(Module *)module, name, -1, {}, {}, 0};
}
void __cudaRegisterManagedVar(void **module, void **place, char *, const char *name, size_t bytes, unsigned int)
{
    registry().variables[(const void *)place] = Variable{(Module *)module, name, bytes, 0};
}
void __cudaRegisterVar(void **module, char *host, char *, const char *name, int, size_t bytes, int, int)
{
    registry().variables[host] = Variable{(Module *)module, name, bytes, 0};
}
}
