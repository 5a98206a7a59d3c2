extern "C" __global__ void redux(const int *in, int *out, int n) {
  int i = threadIdx.x;
  unsigned mask = 0xffu << (i & 24);
  out[i] = __reduce_add_sync(mask, in[i]);
}
extern "C" __global__ void part(const int *in, int *out, int n) {
  int i = threadIdx.x;
  if (i % 3 == 0) out[i] = __reduce_max_sync(__activemask(), in[i]);
  else out[i] = __reduce_add_sync(__activemask(), in[i]);
}
