/* Stop watches of the host, as programs in the style of NVIDIA's samples use them: milliseconds. */
#pragma once
#include <sys/time.h>

class StopWatchInterface {
    double start_ = 0, total_ = 0, last_ = 0;
    int sessions_ = 0;
    bool running_ = false;
    static double now()
    {
        timeval t;
        gettimeofday(&t, 0);
        return t.tv_sec * 1e3 + t.tv_usec / 1e3;
    }

  public:
    virtual ~StopWatchInterface() {}
    virtual void start() { start_ = now(); running_ = true; }
    virtual void stop()
    {
        last_ = now() - start_;
        total_ += last_;
        running_ = false;
        sessions_++;
    }
    virtual void reset() { total_ = last_ = 0; sessions_ = 0; if (running_) start_ = now(); }
    virtual float getTime() { return (float)(running_ ? total_ + now() - start_ : total_); }
    virtual float getAverageTime() { return sessions_ ? (float)(total_ / sessions_) : 0; }
};
inline bool sdkCreateTimer(StopWatchInterface **timer) { *timer = new StopWatchInterface; return true; }
inline bool sdkDeleteTimer(StopWatchInterface **timer) { delete *timer; *timer = 0; return true; }
inline bool sdkStartTimer(StopWatchInterface **timer) { if (*timer) (*timer)->start(); return true; }
inline bool sdkStopTimer(StopWatchInterface **timer) { if (*timer) (*timer)->stop(); return true; }
inline bool sdkResetTimer(StopWatchInterface **timer) { if (*timer) (*timer)->reset(); return true; }
inline float sdkGetTimerValue(StopWatchInterface **timer) { return *timer ? (*timer)->getTime() : 0; }
inline float sdkGetAverageTimerValue(StopWatchInterface **timer) { return *timer ? (*timer)->getAverageTime() : 0; }
