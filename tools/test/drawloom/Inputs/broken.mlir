llvm.func @k() attributes {nvvm.kernel} {
  nvvm.frobnicate
  llvm.return
}
