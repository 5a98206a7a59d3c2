/* Streams and events. What is put into a stream has ended when the call returns; an event is a point of simulated time. */

struct CUstream_st {
    unsigned int flags;
    int priority;
};
struct CUevent_st {
    unsigned int flags;
    bool recorded;
    uint64_t nanoseconds;
};

extern "C" {
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned int flags, int priority)
{
    IF_BROKEN_RETURN();
    *stream = new CUstream_st{flags, priority};
    return cudaSuccess;
}
cudaError_t cudaStreamCreate(cudaStream_t *stream) { return cudaStreamCreateWithPriority(stream, cudaStreamDefault, 0); }
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags) { return cudaStreamCreateWithPriority(stream, flags, 0); }
cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    if (stream == 0 || stream == cudaStreamLegacy || stream == cudaStreamPerThread) return ended(cudaErrorInvalidResourceHandle);
    delete stream;
    return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t) { return waited(); }
cudaError_t cudaStreamQuery(cudaStream_t) { return waited(); }
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t event, unsigned int) { return ended(event ? cudaSuccess : cudaErrorInvalidResourceHandle); }
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *data, unsigned int)
{
    callback(stream, waited(), data);
    return cudaSuccess;
}
cudaError_t cudaStreamAttachMemAsync(cudaStream_t, void *, size_t, unsigned int) { return cudaSuccess; }
cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int *flags)
{
    *flags = (uint64_t)stream > 2 ? stream->flags : 0;
    return cudaSuccess;
}
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority)
{
    *priority = (uint64_t)stream > 2 ? stream->priority : 0;
    return cudaSuccess;
}
cudaError_t cudaLaunchHostFunc(cudaStream_t, cudaHostFn_t function, void *data)
{
    WAIT_FIRST();
    function(data);
    return cudaSuccess;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags)
{
    IF_BROKEN_RETURN();
    *event = new CUevent_st{flags, false, 0};
    return cudaSuccess;
}
cudaError_t cudaEventCreate(cudaEvent_t *event) { return cudaEventCreateWithFlags(event, cudaEventDefault); }
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t)
{
    IF_BROKEN_RETURN();
    if (!event) return ended(cudaErrorInvalidResourceHandle);
    event->nanoseconds = ask(TIME).value;
    event->recorded = true;
    return cudaSuccess;
}
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int) { return cudaEventRecord(event, stream); }
cudaError_t cudaEventQuery(cudaEvent_t event) { return event ? waited() : ended(cudaErrorInvalidResourceHandle); }
cudaError_t cudaEventSynchronize(cudaEvent_t event) { return event ? waited() : ended(cudaErrorInvalidResourceHandle); }
cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    if (!event) return ended(cudaErrorInvalidResourceHandle);
    delete event;
    return cudaSuccess;
}
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end)
{
    if (!start || !end || !start->recorded || !end->recorded || (start->flags | end->flags) & cudaEventDisableTiming)
        return ended(cudaErrorInvalidResourceHandle);
    *milliseconds = (float)(((double)end->nanoseconds - (double)start->nanoseconds) / 1e6);
    return cudaSuccess;
}
}
