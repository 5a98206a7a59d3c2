#include <cstdio>
#include <cassert>
#include <cuda_fp16.h>
typedef int (*op)(int,int);
__device__ __noinline__ int add(int a,int b){return a+b;}
__device__ __noinline__ int mul(int a,int b){return a*b;}
__device__ op table[2]={add,mul};
__device__ __noinline__ int fib(int n){return n<2?n:fib(n-1)+fib(n-2);}
extern "C" __global__ void pointers(int*o,int n){int i=threadIdx.x; if(i<n) o[i]=table[i&1](i,3);}
extern "C" __global__ void recursion(int*o){o[threadIdx.x]=fib(threadIdx.x%10);}
extern "C" __global__ void say(int*o,float x){ if(threadIdx.x<3) printf("thread %d of %s: %f %lld\n",threadIdx.x,"block",x*threadIdx.x,(long long)threadIdx.x<<40); o[threadIdx.x]=7; if(threadIdx.x==1) printf("plain\n");}
extern "C" __global__ void check(int*o,int n){ assert(threadIdx.x<n); o[threadIdx.x]=1;}
extern "C" __global__ void traps(int*o,int n){ if(threadIdx.x==n) __trap(); o[threadIdx.x]=1;}
extern "C" __global__ void choose(int*o,int*k){int i=threadIdx.x; int v; switch(k[i]){case 0:v=i*3;break;case 1:v=i+9;break;case 2:v=i^5;break;case 3:v=-i;break;case 4:v=i*i;break;case 5:v=i<<3;break;case 6:v=17;break;case 7:v=i%7;break;default:v=-1;} o[i]=v;}
