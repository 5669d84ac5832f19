// The handlers' C symbols, with the files that define them.
#pragma once

struct XLA_FFI_CallFrame;
struct XLA_FFI_Error;

extern "C" {
// linear_handlers.cpp
XLA_FFI_Error* portatune_linear(XLA_FFI_CallFrame* frame);
XLA_FFI_Error* portatune_linear_no_bias(XLA_FFI_CallFrame* frame);
XLA_FFI_Error* portatune_linear_dx(XLA_FFI_CallFrame* frame);
XLA_FFI_Error* portatune_linear_dw(XLA_FFI_CallFrame* frame);
// elementwise_handlers.cpp
XLA_FFI_Error* portatune_gelu(XLA_FFI_CallFrame* frame);
XLA_FFI_Error* portatune_gelu_grad(XLA_FFI_CallFrame* frame);
XLA_FFI_Error* portatune_dropout(XLA_FFI_CallFrame* frame);
XLA_FFI_Error* portatune_rotary(XLA_FFI_CallFrame* frame);
// barrier_handler.cpp
XLA_FFI_Error* portatune_barrier(XLA_FFI_CallFrame* frame);
// collective_handlers.cpp
XLA_FFI_Error* portatune_all_reduce(XLA_FFI_CallFrame* frame);
XLA_FFI_Error* portatune_all_gather(XLA_FFI_CallFrame* frame);
XLA_FFI_Error* portatune_reduce_scatter(XLA_FFI_CallFrame* frame);
XLA_FFI_Error* portatune_process_rank(XLA_FFI_CallFrame* frame);
// attention_handlers.cpp
XLA_FFI_Error* portatune_attention(XLA_FFI_CallFrame* frame);
XLA_FFI_Error* portatune_attention_grad(XLA_FFI_CallFrame* frame);
// layer_norm_handlers.cpp
XLA_FFI_Error* portatune_layer_norm(XLA_FFI_CallFrame* frame);
XLA_FFI_Error* portatune_layer_norm_grad(XLA_FFI_CallFrame* frame);
// rms_norm_handlers.cpp
XLA_FFI_Error* portatune_rms_norm(XLA_FFI_CallFrame* frame);
XLA_FFI_Error* portatune_rms_norm_grad(XLA_FFI_CallFrame* frame);
// update_handlers.cpp
XLA_FFI_Error* portatune_adamw(XLA_FFI_CallFrame* frame);
XLA_FFI_Error* portatune_sum_of_squares(XLA_FFI_CallFrame* frame);
XLA_FFI_Error* portatune_column_sums(XLA_FFI_CallFrame* frame);
XLA_FFI_Error* portatune_embedding_grad(XLA_FFI_CallFrame* frame);
}
