/*===- formula_to_result.c - The C API, from C ---------------------*- C
-*-===*\
|*                                                                            *|
|* Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.      *|
|* See LICENSE for license information.                                       *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

/* d = relu(a b^T), from the formula to numbers, which are worked out here. The
 * products and sums are small whole numbers, so they are exact. */

#include "drawloom-c/Drawloom.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { M = 72, N = 40, K = 48 };

static void check(DrawloomError *error, int line) {
  if (!error)
    return;
  fprintf(stderr, "line %d: %s\n", line, drawloomErrorText(error));
  drawloomErrorDestroy(error);
  exit(1);
}
#define CHECK(call) check(call, __LINE__)

static void expect(int holds, const char *what, int line) {
  if (holds)
    return;
  fprintf(stderr, "line %d: %s doesn't hold\n", line, what);
  exit(1);
}
#define EXPECT(condition) expect(condition, #condition, __LINE__)

/* A whole number in bf16: the upper half of its f32. */
static uint16_t bf16(float number) {
  uint32_t bits;
  memcpy(&bits, &number, sizeof(bits));
  return (uint16_t)(bits >> 16);
}

static DrawloomPlace at(unsigned line) {
  DrawloomPlace place = {__FILE__, line};
  return place;
}

static DrawloomBytes makeText(void) {
  DrawloomFusion *fusion = drawloomFusionCreate("linear", at(__LINE__));
  DrawloomSize aShape[] = {{-1, "M"}, {-1, "K"}};
  DrawloomSize bShape[] = {{-1, "N"}, {-1, "K"}};
  DrawloomTensor a, b, transposed, product, d;
  CHECK(drawloomFusionInput(fusion, "a", aShape, 2, "bf16", at(__LINE__), &a));
  CHECK(drawloomFusionInput(fusion, "b", bShape, 2, "bf16", at(__LINE__), &b));
  CHECK(drawloomFusionApply(fusion, "transpose", &b, 1, 0, NULL, at(__LINE__),
                            &transposed));
  DrawloomTensor factors[] = {a, transposed};
  CHECK(drawloomFusionApply(fusion, "matmul", factors, 2, 0, NULL, at(__LINE__),
                            &product));
  CHECK(drawloomFusionApply(fusion, "relu", &product, 1, 0, NULL, at(__LINE__),
                            &d));
  CHECK(drawloomFusionOutput(fusion, "d", d, at(__LINE__)));
  DrawloomBytes text;
  CHECK(drawloomFusionText(fusion, 0, &text));
  drawloomFusionDestroy(fusion);
  return text;
}

static void compare(const float *d, const float *a, const float *b) {
  for (int m = 0; m != M; ++m)
    for (int n = 0; n != N; ++n) {
      float sum = 0;
      for (int k = 0; k != K; ++k)
        sum += a[m * K + k] * b[n * K + k];
      EXPECT(d[m * N + n] == (sum > 0 ? sum : 0));
    }
}

int main(void) {
  EXPECT(drawloomApiVersion() >= DRAWLOOM_API_VERSION);
  DrawloomBytes text = makeText();
  static float av[M * K], bv[N * K];
  static uint16_t a[M * K], b[N * K];
  for (int i = 0; i != M * K; ++i)
    a[i] = bf16(av[i] = (float)(i % 7 - 3));
  for (int i = 0; i != N * K; ++i)
    b[i] = bf16(bv[i] = (float)(i % 5 - 2));
  const int64_t aShape[] = {M, K}, bShape[] = {N, K};
  const DrawloomArray arrays[] = {{"a", "bf16", a, 2, aShape},
                                  {"b", "bf16", b, 2, bShape}};

  /* Both architectures in one process, one after the other. */
  const char *archs[] = {"sm_90a", "sm_100a"};
  for (int i = 0; i != 2; ++i) {
    DrawloomCompileOptions options = {
        .structSize = sizeof(options), .name = "linear", .arch = archs[i]};
    DrawloomProgram *program;
    CHECK(drawloomCompile(text.data, text.size, &options, &program));
    EXPECT(drawloomProgramCount(program) == 1);
    EXPECT(!strcmp(drawloomProgramKernel(program, 0), "linear"));

    DrawloomResult *result;
    CHECK(drawloomRun(program, arrays, 2, NULL, &result));
    EXPECT(drawloomResultCount(result) == 1);
    DrawloomArray d = drawloomResultAt(result, 0);
    EXPECT(!strcmp(d.name, "d") && !strcmp(d.type, "f32"));
    EXPECT(d.rank == 2 && d.shape[0] == M && d.shape[1] == N);
    compare(d.data, av, bv);
    drawloomResultDestroy(result);
    drawloomProgramDestroy(program);
  }
  drawloomBytesDestroy(text);
  puts("right");
  return 0;
}
