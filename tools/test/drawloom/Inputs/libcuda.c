/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * As much of the CUDA driver as `drawloom doctor` asks, with two devices. */
#include <string.h>

int cuInit(unsigned flags) {
#ifdef NO_DEVICE
  return 100; /* CUDA_ERROR_NO_DEVICE */
#else
  return 0;
#endif
}

int cuDriverGetVersion(int *version) {
  *version = 13020;
  return 0;
}

int cuDeviceGetCount(int *count) {
  *count = 2;
  return 0;
}

int cuDeviceGet(int *device, int ordinal) {
  *device = ordinal;
  return 0;
}

int cuDeviceGetName(char *name, int size, int device) {
  strncpy(name, device == 0 ? "Test B200" : "Test A100", size);
  return 0;
}

int cuDeviceGetAttribute(int *value, int attribute, int device) {
  int major = device == 0 ? 10 : 8;
  *value = attribute == 75 ? major : 0;
  return 0;
}
