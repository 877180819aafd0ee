// SPDX-License-Identifier: Apache-2.0
// Types of pointers to the functions of cudaEGL.h: PFN_NAME_vVERSION, where VERSION is the CUDA
// version (1000 * major + 10 * minor) that brought the function in this form. With that number
// cuGetProcAddress answers with a function of this type. Pointers to per-thread twins end in _ptds
// or _ptsz.
#ifndef CUDAEGLTYPEDEFS_H
#define CUDAEGLTYPEDEFS_H

#include "cudaEGL.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef CUresult(CUDAAPI* PFN_cuEGLStreamConsumerAcquireFrame_v7000)(
    CUeglStreamConnection* conn, CUgraphicsResource* pCudaResource, CUstream* pStream,
    unsigned int timeout);
typedef CUresult(CUDAAPI* PFN_cuEGLStreamConsumerConnect_v7000)(CUeglStreamConnection* conn,
                                                                EGLStreamKHR stream);
typedef CUresult(CUDAAPI* PFN_cuEGLStreamConsumerConnectWithFlags_v8000)(
    CUeglStreamConnection* conn, EGLStreamKHR stream, unsigned int flags);
typedef CUresult(CUDAAPI* PFN_cuEGLStreamConsumerDisconnect_v7000)(CUeglStreamConnection* conn);
typedef CUresult(CUDAAPI* PFN_cuEGLStreamConsumerReleaseFrame_v7000)(
    CUeglStreamConnection* conn, CUgraphicsResource pCudaResource, CUstream* pStream);
typedef CUresult(CUDAAPI* PFN_cuEGLStreamProducerConnect_v7000)(CUeglStreamConnection* conn,
                                                                EGLStreamKHR stream, EGLint width,
                                                                EGLint height);
typedef CUresult(CUDAAPI* PFN_cuEGLStreamProducerDisconnect_v7000)(CUeglStreamConnection* conn);
typedef CUresult(CUDAAPI* PFN_cuEGLStreamProducerPresentFrame_v7000)(CUeglStreamConnection* conn,
                                                                     CUeglFrame_v1 eglframe,
                                                                     CUstream* pStream);
typedef CUresult(CUDAAPI* PFN_cuEGLStreamProducerReturnFrame_v7000)(CUeglStreamConnection* conn,
                                                                    CUeglFrame_v1* eglframe,
                                                                    CUstream* pStream);
typedef CUresult(CUDAAPI* PFN_cuEventCreateFromEGLSync_v9000)(CUevent* phEvent, EGLSyncKHR eglSync,
                                                              unsigned int flags);
typedef CUresult(CUDAAPI* PFN_cuGraphicsEGLRegisterImage_v7000)(CUgraphicsResource* pCudaResource,
                                                                EGLImageKHR image,
                                                                unsigned int flags);
typedef CUresult(CUDAAPI* PFN_cuGraphicsResourceGetMappedEglFrame_v7000)(
    CUeglFrame_v1* eglFrame, CUgraphicsResource resource, unsigned int index,
    unsigned int mipLevel);

#ifdef __cplusplus
}
#endif

#endif
