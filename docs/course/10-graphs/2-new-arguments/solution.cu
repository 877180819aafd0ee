// SPDX-License-Identifier: Apache-2.0
// Multiplies numbers by a factor that changes from launch to launch.
class Scaler {
 public:
  Scaler(float* numbers, int count) : numbers_(numbers), count_(count) {
    parameters_.func = reinterpret_cast<void*>(scale);
    parameters_.gridDim = dim3((count + 127) / 128);
    parameters_.blockDim = dim3(128);
    parameters_.kernelParams = arguments_;
    CHECK(cudaGraphCreate(&graph_, 0));
    CHECK(cudaGraphAddKernelNode(&step_, graph_, nullptr, 0, &parameters_));
    CHECK(instantiate(&executable_, graph_));
  }
  ~Scaler() {
    CHECK(cudaGraphExecDestroy(executable_));
    CHECK(cudaGraphDestroy(graph_));
  }

  void run(float factor, cudaStream_t stream) {
    factor_ = factor;
    // The values were copied when the step was added. This copies them again, into the executable
    // graph.
    CHECK(cudaGraphExecKernelNodeSetParams(executable_, step_, &parameters_));
    CHECK(cudaGraphLaunch(executable_, stream));
  }

 private:
  float* numbers_;
  int count_;
  float factor_ = 1;
  void* arguments_[3] = {&numbers_, &count_, &factor_};
  cudaKernelNodeParams parameters_ = {};
  cudaGraph_t graph_;
  cudaGraphNode_t step_;
  cudaGraphExec_t executable_;
};
