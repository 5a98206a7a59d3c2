extern "C" __global__ void heap(int**o){ int*p=(int*)malloc(16); p[0]=threadIdx.x; o[threadIdx.x]=p;}
