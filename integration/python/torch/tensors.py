# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors on the device: memory, copies, views, streams and events."""
import torch

assert torch.cuda.is_available() and torch.cuda.device_count() == 1
capability = torch.cuda.get_device_capability()
assert capability in [(9, 0), (10, 0)], capability
x = torch.randn(100, 60)
on_device = x.cuda()
assert torch.equal(on_device.cpu(), x)
# A view is the same memory.
on_device[10:20].copy_(x[30:40])
back = on_device.cpu()
assert torch.equal(back[10:20], x[30:40]) and torch.equal(back[20:], x[20:])
zeros = torch.zeros(1000, dtype=torch.float16, device="cuda")
assert torch.equal(zeros.cpu(), torch.zeros(1000, dtype=torch.float16))

pinned = x.pin_memory()
stream = torch.cuda.Stream()
start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
with torch.cuda.stream(stream):
    start.record()
    moved = pinned.to("cuda", non_blocking=True)
    end.record()
end.synchronize()
assert start.elapsed_time(end) >= 0
torch.cuda.current_stream().wait_stream(stream)
assert torch.equal(moved.cpu(), x)

before = torch.cuda.memory_allocated()
del moved, zeros
torch.cuda.empty_cache()
assert torch.cuda.memory_allocated() < before
free, total = torch.cuda.mem_get_info()
assert 0 < free < total
