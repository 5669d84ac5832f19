// The handlers' C symbols. Each is defined in the file that is named after its kernel or its kind.
#pragma once

struct XLA_FFI_CallFrame;
struct XLA_FFI_Error;

extern "C" {
// linear_handlers.cpp
XLA_FFI_Error* portune_linear(XLA_FFI_CallFrame* frame);
XLA_FFI_Error* portune_linear_no_bias(XLA_FFI_CallFrame* frame);
XLA_FFI_Error* portune_linear_dx(XLA_FFI_CallFrame* frame);
XLA_FFI_Error* portune_linear_dw(XLA_FFI_CallFrame* frame);
// elementwise_handlers.cpp
XLA_FFI_Error* portune_gelu(XLA_FFI_CallFrame* frame);
XLA_FFI_Error* portune_gelu_grad(XLA_FFI_CallFrame* frame);
XLA_FFI_Error* portune_dropout(XLA_FFI_CallFrame* frame);
XLA_FFI_Error* portune_rotary(XLA_FFI_CallFrame* frame);
// barrier_handler.cpp
XLA_FFI_Error* portune_barrier(XLA_FFI_CallFrame* frame);
// collective_handlers.cpp
XLA_FFI_Error* portune_all_reduce(XLA_FFI_CallFrame* frame);
XLA_FFI_Error* portune_all_gather(XLA_FFI_CallFrame* frame);
XLA_FFI_Error* portune_reduce_scatter(XLA_FFI_CallFrame* frame);
XLA_FFI_Error* portune_process_rank(XLA_FFI_CallFrame* frame);
// attention_handlers.cpp
XLA_FFI_Error* portune_attention(XLA_FFI_CallFrame* frame);
XLA_FFI_Error* portune_attention_grad(XLA_FFI_CallFrame* frame);
// layer_norm_handlers.cpp
XLA_FFI_Error* portune_layer_norm(XLA_FFI_CallFrame* frame);
XLA_FFI_Error* portune_layer_norm_grad(XLA_FFI_CallFrame* frame);
// rms_norm_handlers.cpp
XLA_FFI_Error* portune_rms_norm(XLA_FFI_CallFrame* frame);
XLA_FFI_Error* portune_rms_norm_grad(XLA_FFI_CallFrame* frame);
// update_handlers.cpp
XLA_FFI_Error* portune_adamw(XLA_FFI_CallFrame* frame);
XLA_FFI_Error* portune_sum_of_squares(XLA_FFI_CallFrame* frame);
XLA_FFI_Error* portune_column_sums(XLA_FFI_CallFrame* frame);
XLA_FFI_Error* portune_embedding_grad(XLA_FFI_CallFrame* frame);
}
