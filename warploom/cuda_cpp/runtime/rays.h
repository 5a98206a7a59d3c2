/* Scenes for rays (include/warploom/rays.h): built by the simulator, which writes them into memory of the device. caller: where in the program. */
extern "C" cudaError_t __warploom_build_scene(void **words, const float *corners, size_t triangles, int width, const void *caller)
{
    static const char NAME[] = "ray-tree";
    IF_BROKEN_RETURN();
    if (!words || (!corners && triangles)) return ended(cudaErrorInvalidValue);
    *words = nullptr;
    Answer found = ask(LIBRARY, triangles, (uint64_t)width, place_of(caller), 0, NAME, sizeof NAME, corners, triangles * 9 * sizeof(float));
    if (found.status == cudaSuccess) *words = pointer_of(found.value);
    return ended(found.status);
}
