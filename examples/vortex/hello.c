/* Every thread says who it is. */
#include <warploom.h>

kernel void hello(void) {
  printf("thread %d: lane %d of warp %d on core %d, %f turns\n", global_id(), lane_id(), warp_id(), core_id(), global_id() * 0.25f);
}
