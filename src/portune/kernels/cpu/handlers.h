// The handlers' C symbols. Each is defined in the file that is named after its kernel.
#pragma once

struct XLA_FFI_CallFrame;
struct XLA_FFI_Error;

extern "C" {
XLA_FFI_Error* portune_linear(XLA_FFI_CallFrame* frame);
XLA_FFI_Error* portune_linear_no_bias(XLA_FFI_CallFrame* frame);
XLA_FFI_Error* portune_linear_dx(XLA_FFI_CallFrame* frame);
XLA_FFI_Error* portune_linear_dw(XLA_FFI_CallFrame* frame);
}
