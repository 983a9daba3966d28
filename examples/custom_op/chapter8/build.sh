#!/bin/sh
# The guide's 8.4.2: builds relu2_op.so, with the CUDA kernels where there is an nvcc.
set -e
include_dir=$(python -c 'import paddle; print(paddle.sysconfig.get_include())')
lib_dir=$(python -c 'import paddle; print(paddle.sysconfig.get_lib())')
echo $include_dir
echo $lib_dir
if command -v nvcc > /dev/null && [ -z "$CPU_ONLY" ]; then
  cuda=$(dirname $(dirname $(readlink -f $(command -v nvcc))))
  [ -d /usr/local/cuda/lib64 ] && cuda=/usr/local/cuda
  nvcc relu_op.cu -c -o relu_op.cu.o -ccbin cc -DPADDLE_WITH_CUDA -DEIGEN_USE_GPU -DPADDLE_USE_DSO \
    -DPADDLE_WITH_MKLDNN -Xcompiler -fPIC -std=c++11 -Xcompiler -fPIC -w --expt-relaxed-constexpr \
    -O3 -DNVCC -I ${include_dir} -I ${include_dir}/third_party
  gpu="relu_op.cu.o -L $cuda/lib64 -lcudart"
fi
g++ relu_op.cc -o relu2_op.so -shared -fPIC -std=c++11 -O3 -DPADDLE_WITH_MKLDNN \
  -I ${include_dir} -I ${include_dir}/third_party \
  -L ${lib_dir} -lpaddle_framework $gpu
