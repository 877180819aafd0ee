// SPDX-License-Identifier: Apache-2.0
// EGL: images, streams of frames and syncs that CUDA shares.
//
// Reference: CUDA Runtime API, "EGL Interoperability".
#ifndef __CUDA_EGL_INTEROP_H__
#define __CUDA_EGL_INTEROP_H__

#include <EGL/egl.h>
#include <EGL/eglext.h>

#include "cuda_runtime.h"
#include "cudart_platform.h"

#ifdef __cplusplus
extern "C" {
#endif

// The largest number of planes of a frame.
#define CUDA_EGL_MAX_PLANES 3

// Whether a frame's planes are arrays or pitched memory.
typedef enum cudaEglFrameType_enum {
  cudaEglFrameTypeArray = 0,
  cudaEglFrameTypePitch = 1,
} cudaEglFrameType;

// Where a frame's memory is: on the host or on the device.
typedef enum cudaEglResourceLocationFlags_enum {
  cudaEglResourceLocationSysmem = 0x00,
  cudaEglResourceLocationVidmem = 0x01,
} cudaEglResourceLocationFlags;

// The content of a frame's planes. Planar has three planes, SemiPlanar two: the second has both
// color differences, in the order of the name. 420 halves the differences in both directions, 422
// in one. _ER uses all values of a byte; _709 and _2020 name the color space of the recommendation.
// Y10V10U10 and Y12V12U12 have 10 and 12 bits of 16. The letters of Bayer are the colors of a block
// of 2 by 2 pixels, C is clear, and Isp has floats.
typedef enum cudaEglColorFormat_enum {
  cudaEglColorFormatYUV420Planar = 0,
  cudaEglColorFormatYUV420SemiPlanar = 1,
  cudaEglColorFormatYUV422Planar = 2,
  cudaEglColorFormatYUV422SemiPlanar = 3,
  cudaEglColorFormatARGB = 6,
  cudaEglColorFormatRGBA = 7,
  cudaEglColorFormatL = 8,
  cudaEglColorFormatR = 9,
  cudaEglColorFormatYUV444Planar = 10,
  cudaEglColorFormatYUV444SemiPlanar = 11,
  cudaEglColorFormatYUYV422 = 12,
  cudaEglColorFormatUYVY422 = 13,
  cudaEglColorFormatABGR = 14,
  cudaEglColorFormatBGRA = 15,
  cudaEglColorFormatA = 16,
  cudaEglColorFormatRG = 17,
  cudaEglColorFormatAYUV = 18,
  cudaEglColorFormatYVU444SemiPlanar = 19,
  cudaEglColorFormatYVU422SemiPlanar = 20,
  cudaEglColorFormatYVU420SemiPlanar = 21,
  cudaEglColorFormatY10V10U10_444SemiPlanar = 22,
  cudaEglColorFormatY10V10U10_420SemiPlanar = 23,
  cudaEglColorFormatY12V12U12_444SemiPlanar = 24,
  cudaEglColorFormatY12V12U12_420SemiPlanar = 25,
  cudaEglColorFormatVYUY_ER = 26,
  cudaEglColorFormatUYVY_ER = 27,
  cudaEglColorFormatYUYV_ER = 28,
  cudaEglColorFormatYVYU_ER = 29,
  cudaEglColorFormatYUVA_ER = 31,
  cudaEglColorFormatAYUV_ER = 32,
  cudaEglColorFormatYUV444Planar_ER = 33,
  cudaEglColorFormatYUV422Planar_ER = 34,
  cudaEglColorFormatYUV420Planar_ER = 35,
  cudaEglColorFormatYUV444SemiPlanar_ER = 36,
  cudaEglColorFormatYUV422SemiPlanar_ER = 37,
  cudaEglColorFormatYUV420SemiPlanar_ER = 38,
  cudaEglColorFormatYVU444Planar_ER = 39,
  cudaEglColorFormatYVU422Planar_ER = 40,
  cudaEglColorFormatYVU420Planar_ER = 41,
  cudaEglColorFormatYVU444SemiPlanar_ER = 42,
  cudaEglColorFormatYVU422SemiPlanar_ER = 43,
  cudaEglColorFormatYVU420SemiPlanar_ER = 44,
  cudaEglColorFormatBayerRGGB = 45,
  cudaEglColorFormatBayerBGGR = 46,
  cudaEglColorFormatBayerGRBG = 47,
  cudaEglColorFormatBayerGBRG = 48,
  cudaEglColorFormatBayer10RGGB = 49,
  cudaEglColorFormatBayer10BGGR = 50,
  cudaEglColorFormatBayer10GRBG = 51,
  cudaEglColorFormatBayer10GBRG = 52,
  cudaEglColorFormatBayer12RGGB = 53,
  cudaEglColorFormatBayer12BGGR = 54,
  cudaEglColorFormatBayer12GRBG = 55,
  cudaEglColorFormatBayer12GBRG = 56,
  cudaEglColorFormatBayer14RGGB = 57,
  cudaEglColorFormatBayer14BGGR = 58,
  cudaEglColorFormatBayer14GRBG = 59,
  cudaEglColorFormatBayer14GBRG = 60,
  cudaEglColorFormatBayer20RGGB = 61,
  cudaEglColorFormatBayer20BGGR = 62,
  cudaEglColorFormatBayer20GRBG = 63,
  cudaEglColorFormatBayer20GBRG = 64,
  cudaEglColorFormatYVU444Planar = 65,
  cudaEglColorFormatYVU422Planar = 66,
  cudaEglColorFormatYVU420Planar = 67,
  cudaEglColorFormatBayerIspRGGB = 68,
  cudaEglColorFormatBayerIspBGGR = 69,
  cudaEglColorFormatBayerIspGRBG = 70,
  cudaEglColorFormatBayerIspGBRG = 71,
  cudaEglColorFormatBayerBCCR = 72,
  cudaEglColorFormatBayerRCCB = 73,
  cudaEglColorFormatBayerCRBC = 74,
  cudaEglColorFormatBayerCBRC = 75,
  cudaEglColorFormatBayer10CCCC = 76,
  cudaEglColorFormatBayer12BCCR = 77,
  cudaEglColorFormatBayer12RCCB = 78,
  cudaEglColorFormatBayer12CRBC = 79,
  cudaEglColorFormatBayer12CBRC = 80,
  cudaEglColorFormatBayer12CCCC = 81,
  cudaEglColorFormatY = 82,
  cudaEglColorFormatYUV420SemiPlanar_2020 = 83,
  cudaEglColorFormatYVU420SemiPlanar_2020 = 84,
  cudaEglColorFormatYUV420Planar_2020 = 85,
  cudaEglColorFormatYVU420Planar_2020 = 86,
  cudaEglColorFormatYUV420SemiPlanar_709 = 87,
  cudaEglColorFormatYVU420SemiPlanar_709 = 88,
  cudaEglColorFormatYUV420Planar_709 = 89,
  cudaEglColorFormatYVU420Planar_709 = 90,
  cudaEglColorFormatY10V10U10_420SemiPlanar_709 = 91,
  cudaEglColorFormatY10V10U10_420SemiPlanar_2020 = 92,
  cudaEglColorFormatY10V10U10_422SemiPlanar_2020 = 93,
  cudaEglColorFormatY10V10U10_422SemiPlanar = 94,
  cudaEglColorFormatY10V10U10_422SemiPlanar_709 = 95,
  cudaEglColorFormatY_ER = 96,
  cudaEglColorFormatY_709_ER = 97,
  cudaEglColorFormatY10_ER = 98,
  cudaEglColorFormatY10_709_ER = 99,
  cudaEglColorFormatY12_ER = 100,
  cudaEglColorFormatY12_709_ER = 101,
  cudaEglColorFormatYUVA = 102,
  cudaEglColorFormatYVYU = 104,
  cudaEglColorFormatVYUY = 105,
  cudaEglColorFormatY10V10U10_420SemiPlanar_ER = 106,
  cudaEglColorFormatY10V10U10_420SemiPlanar_709_ER = 107,
  cudaEglColorFormatY10V10U10_444SemiPlanar_ER = 108,
  cudaEglColorFormatY10V10U10_444SemiPlanar_709_ER = 109,
  cudaEglColorFormatY12V12U12_420SemiPlanar_ER = 110,
  cudaEglColorFormatY12V12U12_420SemiPlanar_709_ER = 111,
  cudaEglColorFormatY12V12U12_444SemiPlanar_ER = 112,
  cudaEglColorFormatY12V12U12_444SemiPlanar_709_ER = 113,
  cudaEglColorFormatUYVY709 = 114,
  cudaEglColorFormatUYVY709_ER = 115,
  cudaEglColorFormatUYVY2020 = 116,
} cudaEglColorFormat;

// A plane: width and height in pixels, pitch in bytes. Reserved members must be 0.
typedef struct cudaEglPlaneDesc_st {
  unsigned int width;
  unsigned int height;
  unsigned int depth;
  unsigned int pitch;
  unsigned int numChannels;
  struct cudaChannelFormatDesc channelDesc;
  unsigned int reserved[4];
} cudaEglPlaneDesc;

// A frame: frameType selects the member of frame.
typedef struct cudaEglFrame_st {
  union {
    cudaArray_t pArray[CUDA_EGL_MAX_PLANES];
    struct cudaPitchedPtr pPitch[CUDA_EGL_MAX_PLANES];
  } frame;
  cudaEglPlaneDesc planeDesc[CUDA_EGL_MAX_PLANES];
  unsigned int planeCount;
  cudaEglFrameType frameType;
  cudaEglColorFormat eglColorFormat;
} cudaEglFrame;

// CUDA's end of an EGL stream; the driver's CUeglStreamConnection.
typedef struct CUeglStreamConnection_st* cudaEglStreamConnection;

// Acquires the next frame of a stream, for which it waits timeout microseconds at most.
// cudaErrorLaunchTimeout if none came.
cudaError_t CUDARTAPI cudaEGLStreamConsumerAcquireFrame(cudaEglStreamConnection* conn,
                                                        cudaGraphicsResource_t* pCudaResource,
                                                        cudaStream_t* pStream,
                                                        unsigned int timeout);

// Connects CUDA to a stream as its consumer.
cudaError_t CUDARTAPI cudaEGLStreamConsumerConnect(cudaEglStreamConnection* conn,
                                                   EGLStreamKHR eglStream);

// As cudaEGLStreamConsumerConnect; flags are cudaEglResourceLocationFlags.
cudaError_t CUDARTAPI cudaEGLStreamConsumerConnectWithFlags(cudaEglStreamConnection* conn,
                                                            EGLStreamKHR eglStream,
                                                            unsigned int flags);

// Disconnects CUDA as the consumer.
cudaError_t CUDARTAPI cudaEGLStreamConsumerDisconnect(cudaEglStreamConnection* conn);

// Releases a frame after the earlier work of the CUDA stream.
cudaError_t CUDARTAPI cudaEGLStreamConsumerReleaseFrame(cudaEglStreamConnection* conn,
                                                        cudaGraphicsResource_t pCudaResource,
                                                        cudaStream_t* pStream);

// Connects CUDA to a stream as its producer, with frames of width by height pixels.
cudaError_t CUDARTAPI cudaEGLStreamProducerConnect(cudaEglStreamConnection* conn,
                                                   EGLStreamKHR eglStream, EGLint width,
                                                   EGLint height);

// Disconnects CUDA as the producer.
cudaError_t CUDARTAPI cudaEGLStreamProducerDisconnect(cudaEglStreamConnection* conn);

// Presents a frame after the earlier work of the CUDA stream. Its memory must stay allocated until
// the frame is returned.
cudaError_t CUDARTAPI cudaEGLStreamProducerPresentFrame(cudaEglStreamConnection* conn,
                                                        cudaEglFrame eglframe,
                                                        cudaStream_t* pStream);

// Takes back a frame that the consumer released. cudaErrorLaunchTimeout if there is none.
cudaError_t CUDARTAPI cudaEGLStreamProducerReturnFrame(cudaEglStreamConnection* conn,
                                                       cudaEglFrame* eglframe,
                                                       cudaStream_t* pStream);

// Creates an event that completes when an EGL sync is signaled; flags as in
// cudaEventCreateWithFlags.
cudaError_t CUDARTAPI cudaEventCreateFromEGLSync(cudaEvent_t* phEvent, EGLSyncKHR eglSync,
                                                 unsigned int flags);

// Registers an EGL image; flags are cudaGraphicsRegisterFlags. It need not be mapped.
cudaError_t CUDARTAPI cudaGraphicsEGLRegisterImage(struct cudaGraphicsResource** pCudaResource,
                                                   EGLImageKHR image, unsigned int flags);

// Writes the frame of one face or layer and one level of a registered EGL image.
cudaError_t CUDARTAPI cudaGraphicsResourceGetMappedEglFrame(cudaEglFrame* eglFrame,
                                                            cudaGraphicsResource_t resource,
                                                            unsigned int index,
                                                            unsigned int mipLevel);

#ifdef __cplusplus
}
#endif

#endif
