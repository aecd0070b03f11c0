/*===- Drawloom.h - Drawloom for other languages -------------------*- C
-*-===*\
|*                                                                            *|
|* Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.      *|
|* See LICENSE for license information.                                       *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

/* Compiles programs, shows their plans, runs them on an emulated device and
 * checks them, from any language that can call C:
 *
 *   DrawloomProgram *program;
 *   DrawloomCompileOptions options = {.structSize = sizeof(options),
 *                                     .arch = "sm_100a"};
 *   DrawloomError *error = drawloomCompile(text, strlen(text), &options,
 *                                          &program);
 *   if (error) {
 *     fputs(drawloomErrorText(error), stderr);
 *     drawloomErrorDestroy(error);
 *   }
 *
 * What goes wrong is a value: functions that can fail return an error, or null
 * if all is well, and leave their results alone if it isn't. No exception comes
 * out, nothing is printed, and no input ends the process. A handle belongs to
 * the caller, who destroys it with its Destroy function; null is allowed there.
 * Strings are UTF-8 and end in a zero.
 *
 * What a caller gives is checked, and is an error if it can't be: a handle, or
 * a place for a result, that is null; a string that is not UTF-8; a structSize
 * of nothing; more than 32 dimensions, or none where some are counted; a
 * negative size; a name of a device, check, stage or form that there isn't;
 * more than 1024 SMs. Of an error, a program or a result that is null there are
 * 0 messages, kernels or outputs, and what has a number that is too large is
 * empty. A pointer that is neither null nor valid can't be detected, nor a
 * string without its zero.
 *
 * Any thread may call any function. A program and a result don't change, so
 * threads may share them; a fusion is one thread's at a time. Compiles run
 * beside each other. Runs take turns, because a process has one emulated device
 * at a time.
 *
 * The interface is stable: functions are only added, and structures grow at
 * their end. That is what structSize is for. */

#ifndef DRAWLOOM_C_DRAWLOOM_H
#define DRAWLOOM_C_DRAWLOOM_H

#include <stddef.h>
#include <stdint.h>

#define DRAWLOOM_EXPORT __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

/* The number of this interface. It grows when something is added. */
#define DRAWLOOM_API_VERSION 3
DRAWLOOM_EXPORT int drawloomApiVersion(void);

/* Of Drawloom: "0.1.0". */
DRAWLOOM_EXPORT const char *drawloomVersion(void);

/* Bytes that were made for the caller, with a zero behind them. */
typedef struct DrawloomBytes {
  char *data;
  size_t size;
} DrawloomBytes;

DRAWLOOM_EXPORT void drawloomBytesDestroy(DrawloomBytes bytes);

/* Compiles, runs and comparisons of the calling thread ask this, in that thread
 * and a few times a second, and end with the error "interrupted" if the answer
 * isn't 0. Null, as before the first call, asks nothing; an emulated device
 * then ends its run at Ctrl-C (SIGINT), and sends the signal again after it.
 * Since version 3. */
DRAWLOOM_EXPORT void drawloomSetInterrupted(int (*interrupted)(void *data),
                                            void *data);

/*===----------------------------------------------------------------------===*\
|* Errors                                                                     *|
\*===----------------------------------------------------------------------===*/

typedef struct DrawloomError DrawloomError;

/* Something that the compiler said, at a place of the program. */
typedef struct DrawloomMessage {
  const char *severity; /* "error", "warning", "remark" or "note" */
  const char *file;     /* Empty if it is about no place. */
  unsigned line;        /* From 1; 0 if it is about the whole file. */
  unsigned column;
  const char *text;
} DrawloomMessage;

/* All of it: "gemm.mlir:3:5: error: ...", a line for each message. It lives as
 * long as the error, and so do messages. */
DRAWLOOM_EXPORT const char *drawloomErrorText(const DrawloomError *error);

/* A note comes after the message that it belongs to. Errors that aren't about
 * a program have one message, without a place. */
DRAWLOOM_EXPORT size_t drawloomErrorCount(const DrawloomError *error);
DRAWLOOM_EXPORT DrawloomMessage drawloomErrorAt(const DrawloomError *error,
                                                size_t index);

DRAWLOOM_EXPORT void drawloomErrorDestroy(DrawloomError *error);

/*===----------------------------------------------------------------------===*\
|* Programs                                                                   *|
\*===----------------------------------------------------------------------===*/

typedef struct DrawloomProgram DrawloomProgram;

typedef struct DrawloomCompileOptions {
  size_t structSize;  /* sizeof(DrawloomCompileOptions) */
  const char *name;   /* What messages call the text; null: "program". */
  const char *arch;   /* "sm_90a", "sm_100a"; null: what the kernels say. */
  const char *kernel; /* The only one that is compiled; null: all. */
  const char *stage;  /* How far to go: tile, agent, plan, nvvm, llvm, ptx or
                         cubin; null: ptx. */
  int unproved;       /* Take kernels that aren't proved deadlock-free. */
  int noCache;        /* Compile what was compiled before, too. */
} DrawloomCompileOptions;

/* Compiles linalg on tensors, tile programs or kernels with roles, in MLIR.
 * Code by hand, in llvm and nvvm, is rejected: LLVM ends the process where it
 * can't compile that. */
DRAWLOOM_EXPORT DrawloomError *
drawloomCompile(const char *text, size_t size,
                const DrawloomCompileOptions *options,
                DrawloomProgram **program);

/* The text of a program with another schedule: fields of #tile.schedule, as in
 * "tile = [128, 256, 64], cluster = [2, 1]", of all its kernels over tiles and
 * functions on tensors. Operations keep the places that they have in the text,
 * which `name` is for. */
DRAWLOOM_EXPORT DrawloomError *drawloomReschedule(const char *text, size_t size,
                                                  const char *name,
                                                  const char *fields,
                                                  DrawloomBytes *bytes);

DRAWLOOM_EXPORT void drawloomProgramDestroy(DrawloomProgram *program);

/* The names of its kernels, which live as long as the program. */
DRAWLOOM_EXPORT size_t drawloomProgramCount(const DrawloomProgram *program);
DRAWLOOM_EXPORT const char *
drawloomProgramKernel(const DrawloomProgram *program, size_t index);

/* What was made, in a form:
 *
 *   module       the MLIR or LLVM IR of a stage before PTX
 *   ptx, cubin   the code
 *   description  what a launch has to know of a kernel, in JSON
 *   messages     warnings and remarks, in JSON
 *   text, json, mermaid, sequence, dot, svg, svg-sequence, html   its plan
 *
 * A page of html has the program after each stage, too, and compiles to them.
 * A kernel's name says of which; null is the only one, or all where a form can
 * hold all. */
DRAWLOOM_EXPORT DrawloomError *
drawloomProgramGet(const DrawloomProgram *program, const char *form,
                   const char *kernel, DrawloomBytes *bytes);

/*===----------------------------------------------------------------------===*\
|* Runs                                                                       *|
\*===----------------------------------------------------------------------===*/

/* A tensor in the caller's memory: rows without gaps, the outermost dimension
 * first. Without dimensions it is a scalar. In a run with `random`, an array
 * without data says the sizes of an argument only, -1 for those that it leaves
 * open. */
typedef struct DrawloomArray {
  const char *name; /* Of the argument. */
  const char *type; /* Of elements, as MLIR writes it: "bf16". */
  const void *data;
  size_t rank;
  const int64_t *shape;
} DrawloomArray;

typedef struct DrawloomRunOptions {
  size_t structSize;  /* sizeof(DrawloomRunOptions) */
  const char *kernel; /* Null: the only one. */
  const char *device; /* An emulated h100 or b200, or cuda: a GPU of this
                         machine; null: emulated, by the architecture. */
  unsigned sms;       /* Of the emulated device, 1024 at most; 0: two, or a
                         cluster's. */
  const char *order;  /* The order of events, as for `drawloom run`; null:
                         the environment's, or deterministic. */
  const char *check;  /* "default" or "strict": look for races; null: don't. */
  int compare;        /* Compare with the reference interpreter. */
  int random;         /* What is not given holds random numbers of `seed`, as
                         with `drawloom run --random`, and sizes that are not
                         given are chosen. */
  uint64_t seed;
} DrawloomRunOptions;

typedef struct DrawloomResult DrawloomResult;

/* Runs a kernel of a program that has PTX. The arrays are what it reads; what
 * it writes only may be left out, if its sizes follow from the others. Nothing
 * is written to the arrays: what the kernel wrote is in the result. */
DRAWLOOM_EXPORT DrawloomError *drawloomRun(const DrawloomProgram *program,
                                           const DrawloomArray *arrays,
                                           size_t count,
                                           const DrawloomRunOptions *options,
                                           DrawloomResult **result);

DRAWLOOM_EXPORT void drawloomResultDestroy(DrawloomResult *result);

/* What the kernel writes to, in the order of its arguments. It lives as long as
 * the result. */
DRAWLOOM_EXPORT size_t drawloomResultCount(const DrawloomResult *result);
DRAWLOOM_EXPORT DrawloomArray drawloomResultAt(const DrawloomResult *result,
                                               size_t index);

/* How it went, in JSON, which lives as long as the result:
 *
 *   device, sms   where it ran
 *   check         with `check`: findings, errors, ... (docs/Checker.md)
 *   comparison    with `compare`, for each output: name, elements, out_of_bound
 *                 (how many), unbounded, largestError, bound (of that element),
 *                 largestShare (of a bound; null if that is 0), first (out of
 *                 bound, as text), matches
 */
DRAWLOOM_EXPORT const char *drawloomResultReport(const DrawloomResult *result);

/* Compares outputs that something else made of the arrays, another library for
 * instance, with the reference interpreter's. All that the kernel writes has to
 * be there. Nothing runs. The bytes are JSON as `comparison` has it above.
 * `kernel` null: the only one. Since version 2. */
DRAWLOOM_EXPORT DrawloomError *
drawloomCompare(const DrawloomProgram *program, const char *kernel,
                const DrawloomArray *arrays, size_t count,
                const DrawloomArray *outputs, size_t outputCount,
                DrawloomBytes *comparison);

/*===----------------------------------------------------------------------===*\
|* Fusions                                                                    *|
\*===----------------------------------------------------------------------===*/

/* A formula over whole tensors, which becomes a program (docs/Frontend.md). */
typedef struct DrawloomFusion DrawloomFusion;

/* A tensor of a fusion. */
typedef uint32_t DrawloomTensor;

/* The line of the caller's program; the name is copied. */
typedef struct DrawloomPlace {
  const char *file;
  unsigned line;
} DrawloomPlace;

DRAWLOOM_EXPORT DrawloomFusion *drawloomFusionCreate(const char *name,
                                                     DrawloomPlace place);
DRAWLOOM_EXPORT void drawloomFusionDestroy(DrawloomFusion *fusion);

/* A size is a number, or -1 and a name, which means one size wherever it
 * stands, or -1 and null. */
typedef struct DrawloomSize {
  int64_t value;
  const char *name;
} DrawloomSize;

DRAWLOOM_EXPORT DrawloomError *
drawloomFusionInput(DrawloomFusion *fusion, const char *name,
                    const DrawloomSize *shape, size_t rank, const char *type,
                    DrawloomPlace place, DrawloomTensor *tensor);

/* An operation by its name:
 *
 *   matmul, add, sub, mul, div, max, min      of two tensors
 *   add, mul, max, min                        of one tensor and `number`
 *   exp, rsqrt, relu, gelu, silu, transpose   of one
 *   unsqueeze, sum, maximum, cumsum, cummax   of one, along axis `number`
 *   cast                                      of one, to `type`
 */
DRAWLOOM_EXPORT DrawloomError *
drawloomFusionApply(DrawloomFusion *fusion, const char *operation,
                    const DrawloomTensor *operands, size_t count, double number,
                    const char *type, DrawloomPlace place,
                    DrawloomTensor *tensor);

DRAWLOOM_EXPORT DrawloomError *drawloomFusionOutput(DrawloomFusion *fusion,
                                                    const char *name,
                                                    DrawloomTensor tensor,
                                                    DrawloomPlace place);

/* How it is planned: the fields of #tile.schedule, as in "tile = [128, 256,
 * 64], cluster = [2, 1]". Null leaves all of it to the planner, as does
 * nothing. */
DRAWLOOM_EXPORT DrawloomError *drawloomFusionSchedule(DrawloomFusion *fusion,
                                                      const char *fields);

/* Its type and shape: "MxNxbf16". */
DRAWLOOM_EXPORT DrawloomError *
drawloomFusionDescribe(const DrawloomFusion *fusion, DrawloomTensor tensor,
                       DrawloomBytes *bytes);

/* Its sizes as they were given, in JSON: ["M", 64], null for those that nothing
 * is known of. Since version 3. */
DRAWLOOM_EXPORT DrawloomError *drawloomFusionShape(const DrawloomFusion *fusion,
                                                   DrawloomTensor tensor,
                                                   DrawloomBytes *bytes);

/* The program, as linalg on tensors. With `located`, each operation says where
 * it stands in the caller's program, so that messages of the compiler do, too.
 */
DRAWLOOM_EXPORT DrawloomError *drawloomFusionText(const DrawloomFusion *fusion,
                                                  int located,
                                                  DrawloomBytes *bytes);

#ifdef __cplusplus
}
#endif

#endif /* DRAWLOOM_C_DRAWLOOM_H */
