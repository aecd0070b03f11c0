# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A kernel of torch's own is SASS: rejected by name, with a way out."""
import os
import subprocess
import sys

PROGRAM = """
import torch
x = torch.ones(100).cuda()
try:
    x + x
except RuntimeError as error:
    print('REFUSED', error)
print('SUM', (x.cpu() + x.cpu()).sum().item())
"""

result = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True,
                        text=True, env=os.environ)
assert result.returncode == 0, result
assert "REFUSED CUDA error: the program has no PTX" in result.stdout, result.stdout
assert "SUM 200" in result.stdout, result.stdout
assert "so the kernel 'void at::native::vectorized_elementwise_kernel<" in result.stderr
assert "compute it on the CPU" in result.stderr, result.stderr
