# SPDX-License-Identifier: BSD-3-Clause
"""Messages of pickled objects and of buffers, on the world and on a part of it, checked."""

from mpi4py import MPI

world = MPI.COMM_WORLD
rank, size = world.Get_rank(), world.Get_size()
left, right = (rank - 1) % size, (rank + 1) % size

# Objects: mpi4py looks at the message before it receives it (matched probe).
for length in (0, 1, 1000):
    request = world.isend({"from": rank, "data": list(range(length))}, right, tag=1)
    got = world.recv(source=left, tag=1)
    request.wait()
    assert got["from"] == left and len(got["data"]) == length
assert world.sendrecv(rank, right, source=left) == left

# Buffers, with blocking, nonblocking and persistent calls.
out, into = bytearray([rank] * 4096), bytearray(4096)
requests = [world.Irecv(into, left, 2), world.Isend(out, right, 2)]
MPI.Request.Waitall(requests)
assert into[-1] == left
send, receive = world.Send_init(out, left, 3), world.Recv_init(into, right, 3)
for _ in range(5):
    MPI.Prequest.Startall([receive, send])
    MPI.Request.Waitall([receive, send])
assert into[0] == right
send.Free()
receive.Free()

half = world.Split(rank % 2, -rank)
for other in range(half.Get_size()):
    if half.Get_rank() == 0 and other != 0:
        half.send(world.Get_rank(), other)
    elif half.Get_rank() == other and other != 0:
        assert half.recv(source=MPI.ANY_SOURCE) % 2 == rank % 2
half.Free()

total = world.allreduce(rank)
names = world.gather(f"rank {rank}")
window = MPI.Win.Create(into, comm=world)
window.Fence()
window.Put(out, right)
window.Fence()
assert into[0] == left
window.Free()
if rank == 0:
    print("sum of ranks:", total, "names:", len(names))
