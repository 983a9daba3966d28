// Operators of the framework as functions; paddle/extension.h includes this.
//
//   Tensor z = paddle::add(paddle::matmul(x, y, {{"trans_y", true}}), bias);
//
// Made by scripts/make_operator_header.py of the registry; do not edit. Attributes that are not
// given have their defaults. An operator with several outputs gives a list for each of them. Those
// that stand last take attributes by position, too, as 2.3 does: paddle::matmul(x, y, true).

#ifndef PADDLE_OPERATORS_H_
#define PADDLE_OPERATORS_H_

#include "paddle/native/calling.h"

namespace paddle {
namespace functions {  // found by paddle::add, but not instead of an add of the user's

#define PD_FUNCTION_(name, op, result, inputs, ...)                          \
  inline result name(__VA_ARGS__, const Attributes& attributes = {}) {       \
    return native::called<result>(#op, inputs, attributes);                  \
  }
#define PD_LIST_(...) {__VA_ARGS__}
#define PD_ONE_(name)                                                         \
  inline Tensor name(const Tensor& x, const Attributes& attributes = {}) {    \
    return native::of_one(#name, x, attributes);                              \
  }
#define PD_TWO_(name)                                                                            \
  inline Tensor name(const Tensor& x, const Tensor& y, const Attributes& attributes = {}) {      \
    return native::of_two(#name, x, y, attributes);                                              \
  }

PD_ONE_(abs) PD_ONE_(acos) PD_ONE_(acosh) PD_ONE_(add_position_encoding) PD_ONE_(allreduce)
PD_ONE_(alltoall) PD_ONE_(angle) PD_ONE_(arg_max) PD_ONE_(arg_min) PD_ONE_(as_complex)
PD_ONE_(as_real) PD_ONE_(as_strided) PD_ONE_(asin) PD_ONE_(asinh) PD_ONE_(assign) PD_ONE_(atan)
PD_ONE_(atanh) PD_ONE_(barrier) PD_ONE_(bernoulli) PD_ONE_(bitwise_not) PD_ONE_(brelu)
PD_ONE_(c_allgather) PD_ONE_(c_allreduce_max) PD_ONE_(c_allreduce_min) PD_ONE_(c_allreduce_prod)
PD_ONE_(c_allreduce_sum) PD_ONE_(c_broadcast) PD_ONE_(c_concat) PD_ONE_(c_identity)
PD_ONE_(c_reduce_max) PD_ONE_(c_reduce_min) PD_ONE_(c_reduce_prod) PD_ONE_(c_reduce_sum)
PD_ONE_(c_reducescatter) PD_ONE_(c_scatter) PD_ONE_(c_split) PD_ONE_(c_sync_calc_stream)
PD_ONE_(cast) PD_ONE_(ceil) PD_ONE_(celu) PD_ONE_(channel_shuffle) PD_ONE_(cholesky)
PD_ONE_(clip_by_norm) PD_ONE_(conj) PD_ONE_(cos) PD_ONE_(cosh) PD_ONE_(cumprod) PD_ONE_(cumsum)
PD_ONE_(dequantize) PD_ONE_(determinant) PD_ONE_(diag) PD_ONE_(diag_embed) PD_ONE_(diag_v2)
PD_ONE_(diagonal) PD_ONE_(digamma) PD_ONE_(eigvals) PD_ONE_(elu) PD_ONE_(erf) PD_ONE_(erfinv)
PD_ONE_(exp) PD_ONE_(expm1) PD_ONE_(exponential) PD_ONE_(fft_c2c) PD_ONE_(fft_c2r) PD_ONE_(fft_r2c)
PD_ONE_(fill_any) PD_ONE_(fill_any_like) PD_ONE_(fill_constant_batch_size_like)
PD_ONE_(fill_diagonal) PD_ONE_(fill_zeros_like) PD_ONE_(fill_zeros_like2) PD_ONE_(flip)
PD_ONE_(floor) PD_ONE_(fold) PD_ONE_(frame) PD_ONE_(frobenius_norm)
PD_ONE_(fused_softmax_mask_upper_triangle) PD_ONE_(gaussian_inplace)
PD_ONE_(gaussian_random_batch_size_like) PD_ONE_(gelu) PD_ONE_(get_tensor_from_selected_rows)
PD_ONE_(gumbel_softmax) PD_ONE_(hard_shrink) PD_ONE_(hard_sigmoid) PD_ONE_(hard_swish) PD_ONE_(hash)
PD_ONE_(histogram) PD_ONE_(i0) PD_ONE_(i0e) PD_ONE_(i1) PD_ONE_(i1e) PD_ONE_(imag)
PD_ONE_(increment) PD_ONE_(inverse) PD_ONE_(is_empty) PD_ONE_(isfinite) PD_ONE_(isfinite_v2)
PD_ONE_(isinf) PD_ONE_(isinf_v2) PD_ONE_(isnan) PD_ONE_(isnan_v2) PD_ONE_(l1_norm)
PD_ONE_(leaky_relu) PD_ONE_(lgamma) PD_ONE_(log) PD_ONE_(log10) PD_ONE_(log1p) PD_ONE_(log2)
PD_ONE_(log_softmax) PD_ONE_(logcumsumexp) PD_ONE_(logical_not) PD_ONE_(logit) PD_ONE_(logsigmoid)
PD_ONE_(logsumexp) PD_ONE_(matrix_power) PD_ONE_(maxout) PD_ONE_(mean) PD_ONE_(memcpy)
PD_ONE_(memcpy_d2h) PD_ONE_(memcpy_h2d) PD_ONE_(merge_selected_rows) PD_ONE_(mish)
PD_ONE_(mp_allreduce_sum) PD_ONE_(multinomial) PD_ONE_(nanmedian) PD_ONE_(nms) PD_ONE_(overlap_add)
PD_ONE_(p_norm) PD_ONE_(pad) PD_ONE_(partial_allgather) PD_ONE_(pixel_shuffle)
PD_ONE_(pixel_unshuffle) PD_ONE_(poisson) PD_ONE_(polygamma) PD_ONE_(polygon_box_transform)
PD_ONE_(pool2d) PD_ONE_(pool3d) PD_ONE_(quantize) PD_ONE_(real) PD_ONE_(reciprocal)
PD_ONE_(reduce_all) PD_ONE_(reduce_any) PD_ONE_(reduce_max) PD_ONE_(reduce_mean) PD_ONE_(reduce_min)
PD_ONE_(reduce_prod) PD_ONE_(reduce_sum) PD_ONE_(relu) PD_ONE_(relu6) PD_ONE_(renorm)
PD_ONE_(requantize) PD_ONE_(reverse) PD_ONE_(round) PD_ONE_(rsqrt) PD_ONE_(sampling_id)
PD_ONE_(selu) PD_ONE_(sequence_enumerate) PD_ONE_(sequence_erase) PD_ONE_(sequence_reshape)
PD_ONE_(sequence_reverse) PD_ONE_(sequence_softmax) PD_ONE_(shape) PD_ONE_(shard_index)
PD_ONE_(share_data) PD_ONE_(shuffle_channel) PD_ONE_(sigmoid) PD_ONE_(sign) PD_ONE_(silu)
PD_ONE_(similarity_focus) PD_ONE_(sin) PD_ONE_(sinh) PD_ONE_(size) PD_ONE_(slogdeterminant)
PD_ONE_(soft_relu) PD_ONE_(softmax) PD_ONE_(softplus) PD_ONE_(softshrink) PD_ONE_(softsign)
PD_ONE_(space_to_depth) PD_ONE_(spp) PD_ONE_(sqrt) PD_ONE_(square) PD_ONE_(squared_l2_norm)
PD_ONE_(stanh) PD_ONE_(swish) PD_ONE_(tan) PD_ONE_(tanh) PD_ONE_(tanh_shrink)
PD_ONE_(temporal_shift) PD_ONE_(tensor_unfold) PD_ONE_(thresholded_relu) PD_ONE_(trace)
PD_ONE_(tril_triu) PD_ONE_(trunc) PD_ONE_(unfold) PD_ONE_(uniform_random_batch_size_like)
PD_ONE_(uniform_random_inplace) PD_ONE_(view_dtype) PD_ONE_(view_shape) PD_ONE_(where_index)
PD_TWO_(atan2) PD_TWO_(bce_loss) PD_TWO_(bitwise_and) PD_TWO_(bitwise_or) PD_TWO_(bitwise_xor)
PD_TWO_(bmm) PD_TWO_(box_clip) PD_TWO_(bpr_loss) PD_TWO_(c_embedding) PD_TWO_(cholesky_solve)
PD_TWO_(conv3d_transpose) PD_TWO_(conv_shift) PD_TWO_(correlation) PD_TWO_(cross)
PD_TWO_(cross_entropy) PD_TWO_(cvm) PD_TWO_(dequantize_abs_max) PD_TWO_(dequantize_log)
PD_TWO_(dgc_clip_by_norm) PD_TWO_(dist) PD_TWO_(dot) PD_TWO_(elementwise_add)
PD_TWO_(elementwise_div) PD_TWO_(elementwise_floordiv) PD_TWO_(elementwise_fmax)
PD_TWO_(elementwise_fmin) PD_TWO_(elementwise_heaviside) PD_TWO_(elementwise_max)
PD_TWO_(elementwise_min) PD_TWO_(elementwise_mod) PD_TWO_(elementwise_mul) PD_TWO_(elementwise_pow)
PD_TWO_(elementwise_sub) PD_TWO_(equal) PD_TWO_(equal_all) PD_TWO_(expand_as)
PD_TWO_(fake_dequantize_max_abs) PD_TWO_(fill_diagonal_tensor) PD_TWO_(fsp)
PD_TWO_(fused_embedding_seq_pool) PD_TWO_(fused_softmax_mask) PD_TWO_(gather_nd)
PD_TWO_(gather_tree) PD_TWO_(grad_add) PD_TWO_(greater_equal) PD_TWO_(greater_than)
PD_TWO_(grid_sampler) PD_TWO_(hinge_loss) PD_TWO_(index_sample) PD_TWO_(index_select)
PD_TWO_(iou_similarity) PD_TWO_(kldiv_loss) PD_TWO_(kron) PD_TWO_(less_equal) PD_TWO_(less_than)
PD_TWO_(locality_aware_nms) PD_TWO_(log_loss) PD_TWO_(logical_and) PD_TWO_(logical_or)
PD_TWO_(logical_xor) PD_TWO_(lookup_table) PD_TWO_(lookup_table_dequant) PD_TWO_(lookup_table_v2)
PD_TWO_(masked_select) PD_TWO_(matmul_v2) PD_TWO_(minus) PD_TWO_(mul) PD_TWO_(multiclass_nms)
PD_TWO_(mv) PD_TWO_(nextafter) PD_TWO_(not_equal) PD_TWO_(pad_constant_like) PD_TWO_(prelu)
PD_TWO_(row_conv) PD_TWO_(searchsorted) PD_TWO_(sequence_expand) PD_TWO_(sequence_expand_as)
PD_TWO_(sequence_unpad) PD_TWO_(solve) PD_TWO_(stft) PD_TWO_(take_along_axis)
PD_TWO_(teacher_student_sigmoid_loss) PD_TWO_(triangular_solve) PD_TWO_(unpool) PD_TWO_(unpool3d)

PD_FUNCTION_(accuracy, accuracy, std::vector<Tensors>, PD_LIST_(native::some(out), native::some(indices), native::some(label)), const Tensor& out, const Tensor& indices, const Tensor& label)
PD_FUNCTION_(adadelta, adadelta, std::vector<Tensors>, PD_LIST_(native::some(param), native::some(grad), native::some(avgsquaredgrad), native::some(avgsquaredupdate), native::some(learningrate)), const Tensor& param, const Tensor& grad, const Tensor& avgsquaredgrad, const Tensor& avgsquaredupdate, const Tensor& learningrate = Tensor())
PD_FUNCTION_(adagrad, adagrad, std::vector<Tensors>, PD_LIST_(native::some(param), native::some(grad), native::some(moment), native::some(learningrate)), const Tensor& param, const Tensor& grad, const Tensor& moment, const Tensor& learningrate)
PD_FUNCTION_(adam, adam, std::vector<Tensors>, PD_LIST_(native::some(param), native::some(grad), native::some(learningrate), native::some(moment1), native::some(moment2), native::some(beta1pow), native::some(beta2pow), native::some(masterparam), native::some(epsilontensor)), const Tensor& param, const Tensor& grad, const Tensor& learningrate, const Tensor& moment1, const Tensor& moment2, const Tensor& beta1pow, const Tensor& beta2pow, const Tensor& masterparam = Tensor(), const Tensor& epsilontensor = Tensor())
PD_FUNCTION_(adamax, adamax, std::vector<Tensors>, PD_LIST_(native::some(param), native::some(grad), native::some(learningrate), native::some(moment), native::some(infnorm), native::some(beta1pow)), const Tensor& param, const Tensor& grad, const Tensor& learningrate, const Tensor& moment, const Tensor& infnorm, const Tensor& beta1pow)
PD_FUNCTION_(adamw, adamw, std::vector<Tensors>, PD_LIST_(native::some(param), native::some(grad), native::some(learningrate), native::some(moment1), native::some(moment2), native::some(beta1pow), native::some(beta2pow), native::some(masterparam)), const Tensor& param, const Tensor& grad, const Tensor& learningrate, const Tensor& moment1, const Tensor& moment2, const Tensor& beta1pow, const Tensor& beta2pow, const Tensor& masterparam = Tensor())
PD_FUNCTION_(addmm, addmm, Tensor, PD_LIST_(native::some(input), native::some(x), native::some(y)), const Tensor& input, const Tensor& x, const Tensor& y)
PD_FUNCTION_(affine_channel, affine_channel, Tensor, PD_LIST_(native::some(x), native::some(scale), native::some(bias)), const Tensor& x, const Tensor& scale, const Tensor& bias)
PD_FUNCTION_(affine_grid, affine_grid, Tensor, PD_LIST_(native::some(theta), native::some(outputshape)), const Tensor& theta, const Tensor& outputshape = Tensor())
PD_FUNCTION_(allclose, allclose, Tensor, PD_LIST_(native::some(input), native::some(other), native::some(rtol), native::some(atol)), const Tensor& input, const Tensor& other, const Tensor& rtol = Tensor(), const Tensor& atol = Tensor())
PD_FUNCTION_(anchor_generator, anchor_generator, std::vector<Tensors>, PD_LIST_(native::some(input)), const Tensor& input)
PD_FUNCTION_(argsort, argsort, std::vector<Tensors>, PD_LIST_(native::some(x)), const Tensor& x)
PD_FUNCTION_(attention_lstm, attention_lstm, std::vector<Tensors>, PD_LIST_(native::some(x), native::some(c0), native::some(h0), native::some(attentionweight), native::some(attentionbias), native::some(attentionscalar), native::some(attentionscalarbias), native::some(lstmweight), native::some(lstmbias)), const Tensor& x, const Tensor& c0, const Tensor& h0, const Tensor& attentionweight, const Tensor& attentionbias, const Tensor& attentionscalar, const Tensor& attentionscalarbias, const Tensor& lstmweight, const Tensor& lstmbias)
PD_FUNCTION_(auc, auc, std::vector<Tensors>, PD_LIST_(native::some(predict), native::some(label), native::some(statpos), native::some(statneg)), const Tensor& predict, const Tensor& label, const Tensor& statpos, const Tensor& statneg)
PD_FUNCTION_(average_accumulates, average_accumulates, std::vector<Tensors>, PD_LIST_(native::some(param), native::some(in_sum_1), native::some(in_sum_2), native::some(in_sum_3), native::some(in_num_accumulates), native::some(in_old_num_accumulates), native::some(in_num_updates)), const Tensor& param, const Tensor& in_sum_1, const Tensor& in_sum_2, const Tensor& in_sum_3, const Tensor& in_num_accumulates, const Tensor& in_old_num_accumulates, const Tensor& in_num_updates)
PD_FUNCTION_(batch_fc, batch_fc, Tensor, PD_LIST_(native::some(input), native::some(w), native::some(bias)), const Tensor& input, const Tensor& w, const Tensor& bias)
PD_FUNCTION_(batch_norm, batch_norm, std::vector<Tensors>, PD_LIST_(native::some(x), native::some(scale), native::some(bias), native::some(mean), native::some(variance), native::some(momentumtensor)), const Tensor& x, const Tensor& scale, const Tensor& bias, const Tensor& mean, const Tensor& variance, const Tensor& momentumtensor = Tensor())
PD_FUNCTION_(beam_search, beam_search, std::vector<Tensors>, PD_LIST_(native::some(pre_ids), native::some(pre_scores), native::some(ids), native::some(scores)), const Tensor& pre_ids, const Tensor& pre_scores, const Tensor& ids, const Tensor& scores)
PD_FUNCTION_(bicubic_interp, bicubic_interp, Tensor, PD_LIST_(native::some(x), native::some(outsize), native::some(sizetensor), native::some(scale)), const Tensor& x, const Tensor& outsize = Tensor(), const Tensors& sizetensor = Tensors(), const Tensor& scale = Tensor())
PD_FUNCTION_(bicubic_interp_v2, bicubic_interp_v2, Tensor, PD_LIST_(native::some(x), native::some(outsize), native::some(sizetensor), native::some(scale)), const Tensor& x, const Tensor& outsize = Tensor(), const Tensors& sizetensor = Tensors(), const Tensor& scale = Tensor())
PD_FUNCTION_(bilateral_slice, bilateral_slice, Tensor, PD_LIST_(native::some(x), native::some(grid), native::some(guide)), const Tensor& x, const Tensor& grid, const Tensor& guide)
PD_FUNCTION_(bilinear_interp, bilinear_interp, Tensor, PD_LIST_(native::some(x), native::some(outsize), native::some(sizetensor), native::some(scale)), const Tensor& x, const Tensor& outsize = Tensor(), const Tensors& sizetensor = Tensors(), const Tensor& scale = Tensor())
PD_FUNCTION_(bilinear_interp_v2, bilinear_interp_v2, Tensor, PD_LIST_(native::some(x), native::some(outsize), native::some(sizetensor), native::some(scale)), const Tensor& x, const Tensor& outsize = Tensor(), const Tensors& sizetensor = Tensors(), const Tensor& scale = Tensor())
PD_FUNCTION_(bilinear_tensor_product, bilinear_tensor_product, Tensor, PD_LIST_(native::some(x), native::some(y), native::some(weight), native::some(bias)), const Tensor& x, const Tensor& y, const Tensor& weight, const Tensor& bias = Tensor())
PD_FUNCTION_(bincount, bincount, Tensor, PD_LIST_(native::some(x), native::some(weights)), const Tensor& x, const Tensor& weights = Tensor())
PD_FUNCTION_(bipartite_match, bipartite_match, std::vector<Tensors>, PD_LIST_(native::some(distmat)), const Tensor& distmat)
PD_FUNCTION_(box_coder, box_coder, Tensor, PD_LIST_(native::some(priorbox), native::some(priorboxvar), native::some(targetbox)), const Tensor& priorbox, const Tensor& priorboxvar, const Tensor& targetbox)
PD_FUNCTION_(box_decoder_and_assign, box_decoder_and_assign, std::vector<Tensors>, PD_LIST_(native::some(priorbox), native::some(priorboxvar), native::some(targetbox), native::some(boxscore)), const Tensor& priorbox, const Tensor& priorboxvar, const Tensor& targetbox, const Tensor& boxscore)
PD_FUNCTION_(broadcast_tensors, broadcast_tensors, Tensors, PD_LIST_(native::some(x)), const Tensors& x)
PD_FUNCTION_(c_softmax_with_cross_entropy, c_softmax_with_cross_entropy, std::vector<Tensors>, PD_LIST_(native::some(logits), native::some(label)), const Tensor& logits, const Tensor& label)
PD_FUNCTION_(c_sync_comm_stream, c_sync_comm_stream, Tensors, PD_LIST_(native::some(x)), const Tensors& x)
PD_FUNCTION_(c_wait_comm, c_wait_comm, Tensors, PD_LIST_(native::some(x)), const Tensors& x)
PD_FUNCTION_(c_wait_compute, c_wait_compute, Tensors, PD_LIST_(native::some(x)), const Tensors& x)
PD_FUNCTION_(center_loss, center_loss, std::vector<Tensors>, PD_LIST_(native::some(x), native::some(label), native::some(centers), native::some(centerupdaterate)), const Tensor& x, const Tensor& label, const Tensor& centers, const Tensor& centerupdaterate)
PD_FUNCTION_(check_finite_and_unscale, check_finite_and_unscale, std::vector<Tensors>, PD_LIST_(native::some(x), native::some(scale)), const Tensors& x, const Tensor& scale)
PD_FUNCTION_(chunk_eval, chunk_eval, std::vector<Tensors>, PD_LIST_(native::some(inference), native::some(label), native::some(seqlength)), const Tensor& inference, const Tensor& label, const Tensor& seqlength = Tensor())
PD_FUNCTION_(clip, clip, Tensor, PD_LIST_(native::some(x), native::some(min), native::some(max)), const Tensor& x, const Tensor& min = Tensor(), const Tensor& max = Tensor())
PD_FUNCTION_(coalesce_tensor, coalesce_tensor, std::vector<Tensors>, PD_LIST_(native::some(input)), const Tensors& input)
PD_FUNCTION_(collect_fpn_proposals, collect_fpn_proposals, std::vector<Tensors>, PD_LIST_(native::some(multilevelrois), native::some(multilevelscores), native::some(multilevelroisnum)), const Tensors& multilevelrois, const Tensors& multilevelscores, const Tensors& multilevelroisnum = Tensors())
PD_FUNCTION_(concat, concat, Tensor, PD_LIST_(native::some(x), native::some(axistensor)), const Tensors& x, const Tensor& axistensor = Tensor())
PD_FUNCTION_(conv2d, conv2d, Tensor, PD_LIST_(native::some(input), native::some(filter), native::some(bias), native::some(residualdata)), const Tensor& input, const Tensor& filter, const Tensor& bias = Tensor(), const Tensor& residualdata = Tensor())
PD_FUNCTION_(conv2d_transpose, conv2d_transpose, Tensor, PD_LIST_(native::some(input), native::some(filter), native::some(bias)), const Tensor& input, const Tensor& filter, const Tensor& bias = Tensor())
PD_FUNCTION_(conv3d, conv3d, Tensor, PD_LIST_(native::some(input), native::some(filter), native::some(residualdata)), const Tensor& input, const Tensor& filter, const Tensor& residualdata = Tensor())
PD_FUNCTION_(cos_sim, cos_sim, std::vector<Tensors>, PD_LIST_(native::some(x), native::some(y)), const Tensor& x, const Tensor& y)
PD_FUNCTION_(crf_decoding, crf_decoding, Tensor, PD_LIST_(native::some(emission), native::some(transition), native::some(label), native::some(length)), const Tensor& emission, const Tensor& transition, const Tensor& label = Tensor(), const Tensor& length = Tensor())
PD_FUNCTION_(crop, crop, Tensor, PD_LIST_(native::some(x), native::some(y), native::some(offsets)), const Tensor& x, const Tensor& y = Tensor(), const Tensor& offsets = Tensor())
PD_FUNCTION_(crop_tensor, crop_tensor, Tensor, PD_LIST_(native::some(x), native::some(shape), native::some(shapetensor), native::some(offsets), native::some(offsetstensor)), const Tensor& x, const Tensor& shape = Tensor(), const Tensors& shapetensor = Tensors(), const Tensor& offsets = Tensor(), const Tensors& offsetstensor = Tensors())
PD_FUNCTION_(cross_entropy2, cross_entropy2, std::vector<Tensors>, PD_LIST_(native::some(x), native::some(label)), const Tensor& x, const Tensor& label)
PD_FUNCTION_(ctc_align, ctc_align, std::vector<Tensors>, PD_LIST_(native::some(input), native::some(inputlength)), const Tensor& input, const Tensor& inputlength = Tensor())
PD_FUNCTION_(cudnn_lstm, cudnn_lstm, std::vector<Tensors>, PD_LIST_(native::some(input), native::some(inith), native::some(initc), native::some(w), native::some(weightlist), native::some(sequencelength), native::some(cache)), const Tensor& input, const Tensor& inith, const Tensor& initc, const Tensor& w = Tensor(), const Tensors& weightlist = Tensors(), const Tensor& sequencelength = Tensor(), const Tensor& cache = Tensor())
PD_FUNCTION_(cummax, cummax, std::vector<Tensors>, PD_LIST_(native::some(x)), const Tensor& x)
PD_FUNCTION_(cummin, cummin, std::vector<Tensors>, PD_LIST_(native::some(x)), const Tensor& x)
PD_FUNCTION_(data_norm, data_norm, std::vector<Tensors>, PD_LIST_(native::some(x), native::some(batchsize), native::some(batchsum), native::some(batchsquaresum), native::some(scale_w), native::some(bias)), const Tensor& x, const Tensor& batchsize, const Tensor& batchsum, const Tensor& batchsquaresum, const Tensor& scale_w = Tensor(), const Tensor& bias = Tensor())
PD_FUNCTION_(decayed_adagrad, decayed_adagrad, std::vector<Tensors>, PD_LIST_(native::some(param), native::some(grad), native::some(moment), native::some(learningrate)), const Tensor& param, const Tensor& grad, const Tensor& moment, const Tensor& learningrate)
PD_FUNCTION_(deformable_conv, deformable_conv, Tensor, PD_LIST_(native::some(input), native::some(offset), native::some(mask), native::some(filter)), const Tensor& input, const Tensor& offset, const Tensor& mask, const Tensor& filter)
PD_FUNCTION_(deformable_conv_v1, deformable_conv_v1, Tensor, PD_LIST_(native::some(input), native::some(offset), native::some(filter)), const Tensor& input, const Tensor& offset, const Tensor& filter)
PD_FUNCTION_(deformable_psroi_pooling, deformable_psroi_pooling, std::vector<Tensors>, PD_LIST_(native::some(input), native::some(rois), native::some(trans)), const Tensor& input, const Tensor& rois, const Tensor& trans)
PD_FUNCTION_(density_prior_box, density_prior_box, std::vector<Tensors>, PD_LIST_(native::some(input), native::some(image)), const Tensor& input, const Tensor& image)
PD_FUNCTION_(depend, depend, Tensor, PD_LIST_(native::some(x), native::some(dep)), const Tensor& x, const Tensors& dep)
PD_FUNCTION_(depthwise_conv2d, depthwise_conv2d, Tensor, PD_LIST_(native::some(input), native::some(filter), native::some(bias), native::some(residualdata)), const Tensor& input, const Tensor& filter, const Tensor& bias = Tensor(), const Tensor& residualdata = Tensor())
PD_FUNCTION_(depthwise_conv2d_transpose, depthwise_conv2d_transpose, Tensor, PD_LIST_(native::some(input), native::some(filter), native::some(bias)), const Tensor& input, const Tensor& filter, const Tensor& bias = Tensor())
PD_FUNCTION_(dequantize_linear, dequantize_linear, Tensor, PD_LIST_(native::some(x), native::some(scale), native::some(zeropoint)), const Tensor& x, const Tensor& scale, const Tensor& zeropoint = Tensor())
PD_FUNCTION_(detection_map, detection_map, std::vector<Tensors>, PD_LIST_(native::some(detectres), native::some(label), native::some(hasstate), native::some(poscount), native::some(truepos), native::some(falsepos)), const Tensor& detectres, const Tensor& label, const Tensor& hasstate = Tensor(), const Tensor& poscount = Tensor(), const Tensor& truepos = Tensor(), const Tensor& falsepos = Tensor())
PD_FUNCTION_(dgc_momentum, dgc_momentum, std::vector<Tensors>, PD_LIST_(native::some(param), native::some(grad), native::some(velocity), native::some(learningrate), native::some(current_step), native::some(nranks)), const Tensor& param, const Tensor& grad, const Tensor& velocity, const Tensor& learningrate, const Tensor& current_step, const Tensor& nranks)
PD_FUNCTION_(distribute_fpn_proposals, distribute_fpn_proposals, std::vector<Tensors>, PD_LIST_(native::some(fpnrois), native::some(roisnum)), const Tensor& fpnrois, const Tensor& roisnum = Tensor())
PD_FUNCTION_(dpsgd, dpsgd, Tensor, PD_LIST_(native::some(param), native::some(grad), native::some(learningrate)), const Tensor& param, const Tensor& grad, const Tensor& learningrate)
PD_FUNCTION_(dropout, dropout, std::vector<Tensors>, PD_LIST_(native::some(x), native::some(seed)), const Tensor& x, const Tensor& seed = Tensor())
PD_FUNCTION_(edit_distance, edit_distance, std::vector<Tensors>, PD_LIST_(native::some(hyps), native::some(refs), native::some(hypslength), native::some(refslength)), const Tensor& hyps, const Tensor& refs, const Tensor& hypslength = Tensor(), const Tensor& refslength = Tensor())
PD_FUNCTION_(eig, eig, std::vector<Tensors>, PD_LIST_(native::some(x)), const Tensor& x)
PD_FUNCTION_(eigh, eigh, std::vector<Tensors>, PD_LIST_(native::some(x)), const Tensor& x)
PD_FUNCTION_(eigvalsh, eigvalsh, std::vector<Tensors>, PD_LIST_(native::some(x)), const Tensor& x)
PD_FUNCTION_(einsum, einsum, std::vector<Tensors>, PD_LIST_(native::some(operands)), const Tensors& operands)
PD_FUNCTION_(expand_as_v2, expand_as_v2, Tensor, PD_LIST_(native::some(x), native::some(y)), const Tensor& x, const Tensor& y = Tensor())
PD_FUNCTION_(expand_v2, expand_v2, Tensor, PD_LIST_(native::some(x), native::some(shape), native::some(expand_shapes_tensor)), const Tensor& x, const Tensor& shape = Tensor(), const Tensors& expand_shapes_tensor = Tensors())
PD_FUNCTION_(fake_channel_wise_dequantize_max_abs, fake_channel_wise_dequantize_max_abs, Tensor, PD_LIST_(native::some(x), native::some(scales)), const Tensor& x, const Tensors& scales)
PD_FUNCTION_(fake_channel_wise_quantize_abs_max, fake_channel_wise_quantize_abs_max, std::vector<Tensors>, PD_LIST_(native::some(x)), const Tensor& x)
PD_FUNCTION_(fake_channel_wise_quantize_dequantize_abs_max, fake_channel_wise_quantize_dequantize_abs_max, std::vector<Tensors>, PD_LIST_(native::some(x)), const Tensor& x)
PD_FUNCTION_(fake_quantize_abs_max, fake_quantize_abs_max, std::vector<Tensors>, PD_LIST_(native::some(x)), const Tensor& x)
PD_FUNCTION_(fake_quantize_dequantize_abs_max, fake_quantize_dequantize_abs_max, std::vector<Tensors>, PD_LIST_(native::some(x)), const Tensor& x)
PD_FUNCTION_(fake_quantize_dequantize_moving_average_abs_max, fake_quantize_dequantize_moving_average_abs_max, std::vector<Tensors>, PD_LIST_(native::some(x), native::some(inscale), native::some(inaccum), native::some(instate)), const Tensor& x, const Tensor& inscale, const Tensor& inaccum = Tensor(), const Tensor& instate = Tensor())
PD_FUNCTION_(fake_quantize_moving_average_abs_max, fake_quantize_moving_average_abs_max, std::vector<Tensors>, PD_LIST_(native::some(x), native::some(inscale), native::some(inaccum), native::some(instate)), const Tensor& x, const Tensor& inscale, const Tensor& inaccum = Tensor(), const Tensor& instate = Tensor())
PD_FUNCTION_(fake_quantize_range_abs_max, fake_quantize_range_abs_max, std::vector<Tensors>, PD_LIST_(native::some(x), native::some(inscale), native::some(iter)), const Tensor& x, const Tensor& inscale, const Tensor& iter = Tensor())
PD_FUNCTION_(fc, fc, Tensor, PD_LIST_(native::some(input), native::some(w), native::some(bias)), const Tensor& input, const Tensor& w, const Tensor& bias = Tensor())
PD_FUNCTION_(fill_constant, fill_constant, Tensor, PD_LIST_(native::some(valuetensor), native::some(shapetensor), native::some(shapetensorlist)), const Tensor& valuetensor = Tensor(), const Tensor& shapetensor = Tensor(), const Tensors& shapetensorlist = Tensors())
PD_FUNCTION_(filter_by_instag, filter_by_instag, std::vector<Tensors>, PD_LIST_(native::some(ins), native::some(ins_tag), native::some(filter_tag)), const Tensor& ins, const Tensor& ins_tag, const Tensor& filter_tag)
PD_FUNCTION_(flash_attn, flash_attn, std::vector<Tensors>, PD_LIST_(native::some(q), native::some(k), native::some(v), native::some(fixed_seed_offset), native::some(attn_mask)), const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& fixed_seed_offset = Tensor(), const Tensor& attn_mask = Tensor())
PD_FUNCTION_(flatten2, flatten2, std::vector<Tensors>, PD_LIST_(native::some(x)), const Tensor& x)
PD_FUNCTION_(flatten_contiguous_range, flatten_contiguous_range, std::vector<Tensors>, PD_LIST_(native::some(x)), const Tensor& x)
PD_FUNCTION_(ftrl, ftrl, std::vector<Tensors>, PD_LIST_(native::some(param), native::some(squaredaccumulator), native::some(linearaccumulator), native::some(grad), native::some(learningrate)), const Tensor& param, const Tensor& squaredaccumulator, const Tensor& linearaccumulator, const Tensor& grad, const Tensor& learningrate)
PD_FUNCTION_(fused_bias_dropout_residual_layer_norm, fused_bias_dropout_residual_layer_norm, std::vector<Tensors>, PD_LIST_(native::some(x), native::some(residual), native::some(bias), native::some(lnscale), native::some(lnbias)), const Tensor& x, const Tensor& residual, const Tensor& bias = Tensor(), const Tensor& lnscale = Tensor(), const Tensor& lnbias = Tensor())
PD_FUNCTION_(fused_dropout_add, fused_dropout_add, std::vector<Tensors>, PD_LIST_(native::some(x), native::some(y), native::some(seed_tensor), native::some(ptensor)), const Tensor& x, const Tensor& y, const Tensor& seed_tensor = Tensor(), const Tensor& ptensor = Tensor())
PD_FUNCTION_(fused_elemwise_activation, fused_elemwise_activation, std::vector<Tensors>, PD_LIST_(native::some(x), native::some(y)), const Tensor& x, const Tensor& y)
PD_FUNCTION_(fused_embedding_eltwise_layernorm, fused_embedding_eltwise_layernorm, Tensor, PD_LIST_(native::some(ids), native::some(embs), native::some(bias), native::some(scale)), const Tensors& ids, const Tensors& embs, const Tensor& bias, const Tensor& scale)
PD_FUNCTION_(fused_embedding_fc_lstm, fused_embedding_fc_lstm, std::vector<Tensors>, PD_LIST_(native::some(ids), native::some(embeddings), native::some(weighth), native::some(bias), native::some(h0), native::some(c0)), const Tensor& ids, const Tensor& embeddings, const Tensor& weighth, const Tensor& bias, const Tensor& h0 = Tensor(), const Tensor& c0 = Tensor())
PD_FUNCTION_(fusion_gru, fusion_gru, std::vector<Tensors>, PD_LIST_(native::some(x), native::some(h0), native::some(weightx), native::some(weighth), native::some(bias)), const Tensor& x, const Tensor& h0, const Tensor& weightx, const Tensor& weighth, const Tensor& bias = Tensor())
PD_FUNCTION_(fusion_lstm, fusion_lstm, std::vector<Tensors>, PD_LIST_(native::some(x), native::some(weightx), native::some(weighth), native::some(bias), native::some(h0), native::some(c0)), const Tensor& x, const Tensor& weightx, const Tensor& weighth, const Tensor& bias, const Tensor& h0 = Tensor(), const Tensor& c0 = Tensor())
PD_FUNCTION_(fusion_repeated_fc_relu, fusion_repeated_fc_relu, std::vector<Tensors>, PD_LIST_(native::some(x), native::some(w), native::some(bias)), const Tensor& x, const Tensors& w, const Tensors& bias)
PD_FUNCTION_(fusion_seqconv_eltadd_relu, fusion_seqconv_eltadd_relu, std::vector<Tensors>, PD_LIST_(native::some(x), native::some(filter), native::some(bias)), const Tensor& x, const Tensor& filter, const Tensor& bias)
PD_FUNCTION_(fusion_seqexpand_concat_fc, fusion_seqexpand_concat_fc, std::vector<Tensors>, PD_LIST_(native::some(x), native::some(fcweight), native::some(fcbias)), const Tensors& x, const Tensor& fcweight, const Tensor& fcbias = Tensor())
PD_FUNCTION_(fusion_seqpool_concat, fusion_seqpool_concat, Tensor, PD_LIST_(native::some(x)), const Tensors& x)
PD_FUNCTION_(fusion_seqpool_cvm_concat, fusion_seqpool_cvm_concat, Tensor, PD_LIST_(native::some(x), native::some(cvm)), const Tensors& x, const Tensor& cvm)
PD_FUNCTION_(fusion_squared_mat_sub, fusion_squared_mat_sub, std::vector<Tensors>, PD_LIST_(native::some(x), native::some(y)), const Tensor& x, const Tensor& y)
PD_FUNCTION_(gather, gather, Tensor, PD_LIST_(native::some(x), native::some(index), native::some(axis)), const Tensor& x, const Tensor& index, const Tensor& axis = Tensor())
PD_FUNCTION_(gaussian_random, gaussian_random, Tensor, PD_LIST_(native::some(shapetensor), native::some(shapetensorlist)), const Tensor& shapetensor = Tensor(), const Tensors& shapetensorlist = Tensors())
PD_FUNCTION_(generate_mask_labels, generate_mask_labels, std::vector<Tensors>, PD_LIST_(native::some(iminfo), native::some(gtclasses), native::some(iscrowd), native::some(gtsegms), native::some(rois), native::some(labelsint32)), const Tensor& iminfo, const Tensor& gtclasses, const Tensor& iscrowd, const Tensor& gtsegms, const Tensor& rois, const Tensor& labelsint32)
PD_FUNCTION_(generate_proposal_labels, generate_proposal_labels, std::vector<Tensors>, PD_LIST_(native::some(rpnrois), native::some(gtclasses), native::some(iscrowd), native::some(gtboxes), native::some(iminfo), native::some(maxoverlap)), const Tensor& rpnrois, const Tensor& gtclasses, const Tensor& iscrowd, const Tensor& gtboxes, const Tensor& iminfo, const Tensor& maxoverlap = Tensor())
PD_FUNCTION_(generate_proposals, generate_proposals, std::vector<Tensors>, PD_LIST_(native::some(scores), native::some(bboxdeltas), native::some(iminfo), native::some(anchors), native::some(variances)), const Tensor& scores, const Tensor& bboxdeltas, const Tensor& iminfo, const Tensor& anchors, const Tensor& variances)
PD_FUNCTION_(generate_proposals_v2, generate_proposals_v2, std::vector<Tensors>, PD_LIST_(native::some(scores), native::some(bboxdeltas), native::some(imshape), native::some(anchors), native::some(variances)), const Tensor& scores, const Tensor& bboxdeltas, const Tensor& imshape, const Tensor& anchors, const Tensor& variances)
PD_FUNCTION_(graph_send_recv, graph_send_recv, std::vector<Tensors>, PD_LIST_(native::some(x), native::some(src_index), native::some(dst_index), native::some(out_size)), const Tensor& x, const Tensor& src_index, const Tensor& dst_index, const Tensor& out_size = Tensor())
PD_FUNCTION_(group_norm, group_norm, std::vector<Tensors>, PD_LIST_(native::some(x), native::some(scale), native::some(bias)), const Tensor& x, const Tensor& scale = Tensor(), const Tensor& bias = Tensor())
PD_FUNCTION_(gru, gru, std::vector<Tensors>, PD_LIST_(native::some(input), native::some(h0), native::some(weight), native::some(bias)), const Tensor& input, const Tensor& h0, const Tensor& weight, const Tensor& bias = Tensor())
PD_FUNCTION_(gru_unit, gru_unit, std::vector<Tensors>, PD_LIST_(native::some(input), native::some(hiddenprev), native::some(weight), native::some(bias)), const Tensor& input, const Tensor& hiddenprev, const Tensor& weight, const Tensor& bias = Tensor())
PD_FUNCTION_(hierarchical_sigmoid, hierarchical_sigmoid, std::vector<Tensors>, PD_LIST_(native::some(x), native::some(w), native::some(label), native::some(pathtable), native::some(pathcode), native::some(bias)), const Tensor& x, const Tensor& w, const Tensor& label, const Tensor& pathtable = Tensor(), const Tensor& pathcode = Tensor(), const Tensor& bias = Tensor())
PD_FUNCTION_(huber_loss, huber_loss, std::vector<Tensors>, PD_LIST_(native::some(x), native::some(y)), const Tensor& x, const Tensor& y)
PD_FUNCTION_(im2sequence, im2sequence, Tensor, PD_LIST_(native::some(x), native::some(y)), const Tensor& x, const Tensor& y = Tensor())
PD_FUNCTION_(index_add, index_add, Tensor, PD_LIST_(native::some(x), native::some(index), native::some(addvalue)), const Tensor& x, const Tensor& index, const Tensor& addvalue)
PD_FUNCTION_(index_put, index_put, Tensor, PD_LIST_(native::some(x), native::some(indices), native::some(value)), const Tensor& x, const Tensors& indices, const Tensor& value)
PD_FUNCTION_(inplace_abn, inplace_abn, std::vector<Tensors>, PD_LIST_(native::some(x), native::some(scale), native::some(bias), native::some(mean), native::some(variance), native::some(momentumtensor)), const Tensor& x, const Tensor& scale, const Tensor& bias, const Tensor& mean, const Tensor& variance, const Tensor& momentumtensor = Tensor())
PD_FUNCTION_(instance_norm, instance_norm, std::vector<Tensors>, PD_LIST_(native::some(x), native::some(scale), native::some(bias)), const Tensor& x, const Tensor& scale = Tensor(), const Tensor& bias = Tensor())
PD_FUNCTION_(isclose, isclose, Tensor, PD_LIST_(native::some(input), native::some(other), native::some(rtol), native::some(atol)), const Tensor& input, const Tensor& other, const Tensor& rtol = Tensor(), const Tensor& atol = Tensor())
PD_FUNCTION_(kthvalue, kthvalue, std::vector<Tensors>, PD_LIST_(native::some(x)), const Tensor& x)
PD_FUNCTION_(label_smooth, label_smooth, Tensor, PD_LIST_(native::some(x), native::some(priordist)), const Tensor& x, const Tensor& priordist = Tensor())
PD_FUNCTION_(lamb, lamb, std::vector<Tensors>, PD_LIST_(native::some(param), native::some(grad), native::some(learningrate), native::some(moment1), native::some(moment2), native::some(beta1pow), native::some(beta2pow)), const Tensor& param, const Tensor& grad, const Tensor& learningrate, const Tensor& moment1, const Tensor& moment2, const Tensor& beta1pow, const Tensor& beta2pow)
PD_FUNCTION_(lars_momentum, lars_momentum, std::vector<Tensors>, PD_LIST_(native::some(param), native::some(grad), native::some(velocity), native::some(learningrate), native::some(masterparam)), const Tensors& param, const Tensors& grad, const Tensors& velocity, const Tensors& learningrate, const Tensors& masterparam = Tensors())
PD_FUNCTION_(layer_norm, layer_norm, std::vector<Tensors>, PD_LIST_(native::some(x), native::some(scale), native::some(bias)), const Tensor& x, const Tensor& scale = Tensor(), const Tensor& bias = Tensor())
PD_FUNCTION_(lerp, lerp, Tensor, PD_LIST_(native::some(x), native::some(y), native::some(weight)), const Tensor& x, const Tensor& y, const Tensor& weight)
PD_FUNCTION_(linear_chain_crf, linear_chain_crf, std::vector<Tensors>, PD_LIST_(native::some(emission), native::some(transition), native::some(label), native::some(length)), const Tensor& emission, const Tensor& transition, const Tensor& label, const Tensor& length = Tensor())
PD_FUNCTION_(linear_interp, linear_interp, Tensor, PD_LIST_(native::some(x), native::some(outsize), native::some(sizetensor), native::some(scale)), const Tensor& x, const Tensor& outsize = Tensor(), const Tensors& sizetensor = Tensors(), const Tensor& scale = Tensor())
PD_FUNCTION_(linear_interp_v2, linear_interp_v2, Tensor, PD_LIST_(native::some(x), native::some(outsize), native::some(sizetensor), native::some(scale)), const Tensor& x, const Tensor& outsize = Tensor(), const Tensors& sizetensor = Tensors(), const Tensor& scale = Tensor())
PD_FUNCTION_(linspace, linspace, Tensor, PD_LIST_(native::some(start), native::some(stop), native::some(num)), const Tensor& start, const Tensor& stop, const Tensor& num)
PD_FUNCTION_(lod_reset, lod_reset, Tensor, PD_LIST_(native::some(x), native::some(y)), const Tensor& x, const Tensor& y = Tensor())
PD_FUNCTION_(logspace, logspace, Tensor, PD_LIST_(native::some(start), native::some(stop), native::some(num), native::some(base)), const Tensor& start, const Tensor& stop, const Tensor& num, const Tensor& base)
PD_FUNCTION_(lrn, lrn, std::vector<Tensors>, PD_LIST_(native::some(x)), const Tensor& x)
PD_FUNCTION_(lstm, lstm, std::vector<Tensors>, PD_LIST_(native::some(input), native::some(h0), native::some(c0), native::some(weight), native::some(bias)), const Tensor& input, const Tensor& h0, const Tensor& c0, const Tensor& weight, const Tensor& bias)
PD_FUNCTION_(lstm_unit, lstm_unit, std::vector<Tensors>, PD_LIST_(native::some(x), native::some(c_prev)), const Tensor& x, const Tensor& c_prev)
PD_FUNCTION_(lstmp, lstmp, std::vector<Tensors>, PD_LIST_(native::some(input), native::some(h0), native::some(c0), native::some(weight), native::some(projweight), native::some(bias)), const Tensor& input, const Tensor& h0, const Tensor& c0, const Tensor& weight, const Tensor& projweight, const Tensor& bias)
PD_FUNCTION_(lstsq, lstsq, std::vector<Tensors>, PD_LIST_(native::some(x), native::some(y)), const Tensor& x, const Tensor& y)
PD_FUNCTION_(lu, lu, std::vector<Tensors>, PD_LIST_(native::some(x)), const Tensor& x)
PD_FUNCTION_(lu_unpack, lu_unpack, std::vector<Tensors>, PD_LIST_(native::some(x), native::some(pivots)), const Tensor& x, const Tensor& pivots)
PD_FUNCTION_(margin_rank_loss, margin_rank_loss, std::vector<Tensors>, PD_LIST_(native::some(x1), native::some(x2), native::some(label)), const Tensor& x1, const Tensor& x2, const Tensor& label)
PD_FUNCTION_(match_matrix_tensor, match_matrix_tensor, std::vector<Tensors>, PD_LIST_(native::some(x), native::some(y), native::some(w)), const Tensor& x, const Tensor& y, const Tensor& w)
PD_FUNCTION_(matrix_nms, matrix_nms, std::vector<Tensors>, PD_LIST_(native::some(bboxes), native::some(scores)), const Tensor& bboxes, const Tensor& scores)
PD_FUNCTION_(matrix_rank, matrix_rank, Tensor, PD_LIST_(native::some(x), native::some(toltensor)), const Tensor& x, const Tensor& toltensor = Tensor())
PD_FUNCTION_(max_pool2d_with_index, max_pool2d_with_index, std::vector<Tensors>, PD_LIST_(native::some(x)), const Tensor& x)
PD_FUNCTION_(max_pool3d_with_index, max_pool3d_with_index, std::vector<Tensors>, PD_LIST_(native::some(x)), const Tensor& x)
PD_FUNCTION_(mean_iou, mean_iou, std::vector<Tensors>, PD_LIST_(native::some(predictions), native::some(labels), native::some(inwrongs), native::some(incorrects), native::some(inmeaniou)), const Tensor& predictions, const Tensor& labels, const Tensors& inwrongs = Tensors(), const Tensors& incorrects = Tensors(), const Tensors& inmeaniou = Tensors())
PD_FUNCTION_(merge_ids, merge_ids, Tensors, PD_LIST_(native::some(ids), native::some(rows), native::some(x)), const Tensors& ids, const Tensors& rows, const Tensors& x)
PD_FUNCTION_(merged_adam, merged_adam, std::vector<Tensors>, PD_LIST_(native::some(param), native::some(grad), native::some(learningrate), native::some(moment1), native::some(moment2), native::some(beta1pow), native::some(beta2pow), native::some(masterparam)), const Tensors& param, const Tensors& grad, const Tensors& learningrate, const Tensors& moment1, const Tensors& moment2, const Tensors& beta1pow, const Tensors& beta2pow, const Tensors& masterparam = Tensors())
PD_FUNCTION_(merged_momentum, merged_momentum, std::vector<Tensors>, PD_LIST_(native::some(param), native::some(grad), native::some(velocity), native::some(learningrate), native::some(masterparam)), const Tensors& param, const Tensors& grad, const Tensors& velocity, const Tensors& learningrate, const Tensors& masterparam = Tensors())
PD_FUNCTION_(meshgrid, meshgrid, Tensors, PD_LIST_(native::some(x)), const Tensors& x)
PD_FUNCTION_(mine_hard_examples, mine_hard_examples, std::vector<Tensors>, PD_LIST_(native::some(clsloss), native::some(locloss), native::some(matchindices), native::some(matchdist)), const Tensor& clsloss, const Tensor& locloss, const Tensor& matchindices, const Tensor& matchdist)
PD_FUNCTION_(mode, mode, std::vector<Tensors>, PD_LIST_(native::some(x)), const Tensor& x)
PD_FUNCTION_(modified_huber_loss, modified_huber_loss, std::vector<Tensors>, PD_LIST_(native::some(x), native::some(y)), const Tensor& x, const Tensor& y)
PD_FUNCTION_(momentum, momentum, std::vector<Tensors>, PD_LIST_(native::some(param), native::some(grad), native::some(velocity), native::some(learningrate), native::some(masterparam)), const Tensor& param, const Tensor& grad, const Tensor& velocity, const Tensor& learningrate, const Tensor& masterparam = Tensor())
PD_FUNCTION_(moving_average_abs_max_scale, moving_average_abs_max_scale, std::vector<Tensors>, PD_LIST_(native::some(x), native::some(inaccum), native::some(instate)), const Tensor& x, const Tensor& inaccum = Tensor(), const Tensor& instate = Tensor())
PD_FUNCTION_(multi_dot, multi_dot, Tensor, PD_LIST_(native::some(x)), const Tensors& x)
PD_FUNCTION_(multiclass_nms2, multiclass_nms2, std::vector<Tensors>, PD_LIST_(native::some(bboxes), native::some(scores)), const Tensor& bboxes, const Tensor& scores)
PD_FUNCTION_(multiclass_nms3, multiclass_nms3, std::vector<Tensors>, PD_LIST_(native::some(bboxes), native::some(scores), native::some(roisnum)), const Tensor& bboxes, const Tensor& scores, const Tensor& roisnum = Tensor())
PD_FUNCTION_(multiplex, multiplex, Tensor, PD_LIST_(native::some(x), native::some(ids)), const Tensors& x, const Tensor& ids)
PD_FUNCTION_(nce, nce, std::vector<Tensors>, PD_LIST_(native::some(input), native::some(label), native::some(weight), native::some(bias), native::some(sampleweight), native::some(customdistprobs), native::some(customdistalias), native::some(customdistaliasprobs)), const Tensor& input, const Tensor& label, const Tensor& weight, const Tensor& bias = Tensor(), const Tensor& sampleweight = Tensor(), const Tensor& customdistprobs = Tensor(), const Tensor& customdistalias = Tensor(), const Tensor& customdistaliasprobs = Tensor())
PD_FUNCTION_(nearest_interp, nearest_interp, Tensor, PD_LIST_(native::some(x), native::some(outsize), native::some(sizetensor), native::some(scale)), const Tensor& x, const Tensor& outsize = Tensor(), const Tensors& sizetensor = Tensors(), const Tensor& scale = Tensor())
PD_FUNCTION_(nearest_interp_v2, nearest_interp_v2, Tensor, PD_LIST_(native::some(x), native::some(outsize), native::some(sizetensor), native::some(scale)), const Tensor& x, const Tensor& outsize = Tensor(), const Tensors& sizetensor = Tensors(), const Tensor& scale = Tensor())
PD_FUNCTION_(nll_loss, nll_loss, std::vector<Tensors>, PD_LIST_(native::some(x), native::some(label), native::some(weight)), const Tensor& x, const Tensor& label, const Tensor& weight = Tensor())
PD_FUNCTION_(norm, norm, std::vector<Tensors>, PD_LIST_(native::some(x)), const Tensor& x)
PD_FUNCTION_(one_hot, one_hot, Tensor, PD_LIST_(native::some(x), native::some(depth_tensor)), const Tensor& x, const Tensor& depth_tensor = Tensor())
PD_FUNCTION_(one_hot_v2, one_hot_v2, Tensor, PD_LIST_(native::some(x), native::some(depth_tensor)), const Tensor& x, const Tensor& depth_tensor = Tensor())
PD_FUNCTION_(pad2d, pad2d, Tensor, PD_LIST_(native::some(x), native::some(paddings)), const Tensor& x, const Tensor& paddings = Tensor())
PD_FUNCTION_(pad3d, pad3d, Tensor, PD_LIST_(native::some(x), native::some(paddings)), const Tensor& x, const Tensor& paddings = Tensor())
PD_FUNCTION_(partial_concat, partial_concat, Tensor, PD_LIST_(native::some(x)), const Tensors& x)
PD_FUNCTION_(partial_sum, partial_sum, Tensor, PD_LIST_(native::some(x)), const Tensors& x)
PD_FUNCTION_(positive_negative_pair, positive_negative_pair, std::vector<Tensors>, PD_LIST_(native::some(score), native::some(label), native::some(queryid), native::some(accumulatepositivepair), native::some(accumulatenegativepair), native::some(accumulateneutralpair), native::some(weight)), const Tensor& score, const Tensor& label, const Tensor& queryid, const Tensor& accumulatepositivepair = Tensor(), const Tensor& accumulatenegativepair = Tensor(), const Tensor& accumulateneutralpair = Tensor(), const Tensor& weight = Tensor())
PD_FUNCTION_(pow, pow, Tensor, PD_LIST_(native::some(x), native::some(factortensor)), const Tensor& x, const Tensor& factortensor = Tensor())
PD_FUNCTION_(precision_recall, precision_recall, std::vector<Tensors>, PD_LIST_(native::some(maxprobs), native::some(indices), native::some(labels), native::some(weights), native::some(statesinfo)), const Tensor& maxprobs, const Tensor& indices, const Tensor& labels, const Tensor& weights = Tensor(), const Tensor& statesinfo = Tensor())
PD_FUNCTION_(prior_box, prior_box, std::vector<Tensors>, PD_LIST_(native::some(input), native::some(image)), const Tensor& input, const Tensor& image)
PD_FUNCTION_(proximal_adagrad, proximal_adagrad, std::vector<Tensors>, PD_LIST_(native::some(param), native::some(moment), native::some(grad), native::some(learningrate)), const Tensor& param, const Tensor& moment, const Tensor& grad, const Tensor& learningrate)
PD_FUNCTION_(proximal_gd, proximal_gd, Tensor, PD_LIST_(native::some(param), native::some(grad), native::some(learningrate)), const Tensor& param, const Tensor& grad, const Tensor& learningrate)
PD_FUNCTION_(prroi_pool, prroi_pool, Tensor, PD_LIST_(native::some(x), native::some(rois), native::some(batchroinums)), const Tensor& x, const Tensor& rois, const Tensor& batchroinums = Tensor())
PD_FUNCTION_(psroi_pool, psroi_pool, Tensor, PD_LIST_(native::some(x), native::some(rois), native::some(roisnum)), const Tensor& x, const Tensor& rois, const Tensor& roisnum = Tensor())
PD_FUNCTION_(put_along_axis, put_along_axis, Tensor, PD_LIST_(native::some(input), native::some(index), native::some(value)), const Tensor& input, const Tensor& index, const Tensor& value)
PD_FUNCTION_(pyramid_hash, pyramid_hash, std::vector<Tensors>, PD_LIST_(native::some(x), native::some(w), native::some(whitelist), native::some(blacklist)), const Tensor& x, const Tensor& w, const Tensor& whitelist = Tensor(), const Tensor& blacklist = Tensor())
PD_FUNCTION_(qr, qr, std::vector<Tensors>, PD_LIST_(native::some(x)), const Tensor& x)
PD_FUNCTION_(quantize_linear, quantize_linear, std::vector<Tensors>, PD_LIST_(native::some(x), native::some(scale), native::some(zeropoint), native::some(inaccum), native::some(instate)), const Tensor& x, const Tensor& scale, const Tensor& zeropoint = Tensor(), const Tensor& inaccum = Tensor(), const Tensor& instate = Tensor())
PD_FUNCTION_(randint, randint, Tensor, PD_LIST_(native::some(shapetensor), native::some(shapetensorlist)), const Tensor& shapetensor = Tensor(), const Tensors& shapetensorlist = Tensors())
PD_FUNCTION_(random_crop, random_crop, std::vector<Tensors>, PD_LIST_(native::some(x), native::some(seed)), const Tensor& x, const Tensor& seed)
PD_FUNCTION_(range, range, Tensor, PD_LIST_(native::some(start), native::some(end), native::some(step)), const Tensor& start, const Tensor& end, const Tensor& step)
PD_FUNCTION_(rank_attention, rank_attention, std::vector<Tensors>, PD_LIST_(native::some(x), native::some(rankoffset), native::some(rankparam)), const Tensor& x, const Tensor& rankoffset, const Tensor& rankparam)
PD_FUNCTION_(rank_loss, rank_loss, Tensor, PD_LIST_(native::some(label), native::some(left), native::some(right)), const Tensor& label, const Tensor& left, const Tensor& right)
PD_FUNCTION_(ref_by_trainer_id, ref_by_trainer_id, Tensor, PD_LIST_(native::some(x), native::some(trainerid)), const Tensors& x, const Tensor& trainerid)
PD_FUNCTION_(repeat_interleave, repeat_interleave, Tensor, PD_LIST_(native::some(x), native::some(repeatstensor)), const Tensor& x, const Tensor& repeatstensor = Tensor())
PD_FUNCTION_(reshape2, reshape2, std::vector<Tensors>, PD_LIST_(native::some(x), native::some(shape), native::some(shapetensor)), const Tensor& x, const Tensor& shape = Tensor(), const Tensors& shapetensor = Tensors())
PD_FUNCTION_(retinanet_detection_output, retinanet_detection_output, Tensor, PD_LIST_(native::some(bboxes), native::some(scores), native::some(anchors), native::some(iminfo)), const Tensors& bboxes, const Tensors& scores, const Tensors& anchors, const Tensor& iminfo)
PD_FUNCTION_(retinanet_target_assign, retinanet_target_assign, std::vector<Tensors>, PD_LIST_(native::some(anchor), native::some(gtboxes), native::some(gtlabels), native::some(iscrowd), native::some(iminfo)), const Tensor& anchor, const Tensor& gtboxes, const Tensor& gtlabels, const Tensor& iscrowd, const Tensor& iminfo)
PD_FUNCTION_(rms_norm, rms_norm, std::vector<Tensors>, PD_LIST_(native::some(x), native::some(bias), native::some(residual), native::some(norm_weight), native::some(norm_bias)), const Tensor& x, const Tensor& bias, const Tensor& residual, const Tensor& norm_weight, const Tensor& norm_bias = Tensor())
PD_FUNCTION_(rmsprop, rmsprop, std::vector<Tensors>, PD_LIST_(native::some(param), native::some(meansquare), native::some(grad), native::some(moment), native::some(learningrate), native::some(meangrad)), const Tensor& param, const Tensor& meansquare, const Tensor& grad, const Tensor& moment, const Tensor& learningrate, const Tensor& meangrad = Tensor())
PD_FUNCTION_(rnn, rnn, std::vector<Tensors>, PD_LIST_(native::some(input), native::some(prestate), native::some(weightlist), native::some(sequencelength)), const Tensor& input, const Tensors& prestate, const Tensors& weightlist, const Tensor& sequencelength = Tensor())
PD_FUNCTION_(roi_align, roi_align, Tensor, PD_LIST_(native::some(x), native::some(rois), native::some(roisnum), native::some(roislod)), const Tensor& x, const Tensor& rois, const Tensor& roisnum = Tensor(), const Tensor& roislod = Tensor())
PD_FUNCTION_(roi_perspective_transform, roi_perspective_transform, std::vector<Tensors>, PD_LIST_(native::some(x), native::some(rois)), const Tensor& x, const Tensor& rois)
PD_FUNCTION_(roi_pool, roi_pool, std::vector<Tensors>, PD_LIST_(native::some(x), native::some(rois), native::some(roisnum), native::some(roislod)), const Tensor& x, const Tensor& rois, const Tensor& roisnum = Tensor(), const Tensor& roislod = Tensor())
PD_FUNCTION_(roll, roll, Tensor, PD_LIST_(native::some(x), native::some(shiftstensor)), const Tensor& x, const Tensor& shiftstensor = Tensor())
PD_FUNCTION_(rpn_target_assign, rpn_target_assign, std::vector<Tensors>, PD_LIST_(native::some(anchor), native::some(gtboxes), native::some(iscrowd), native::some(iminfo)), const Tensor& anchor, const Tensor& gtboxes, const Tensor& iscrowd, const Tensor& iminfo)
PD_FUNCTION_(rrelu, rrelu, std::vector<Tensors>, PD_LIST_(native::some(x)), const Tensor& x)
PD_FUNCTION_(sample_logits, sample_logits, std::vector<Tensors>, PD_LIST_(native::some(logits), native::some(labels), native::some(customizedsamples), native::some(customizedprobabilities)), const Tensor& logits, const Tensor& labels, const Tensor& customizedsamples = Tensor(), const Tensor& customizedprobabilities = Tensor())
PD_FUNCTION_(scale, scale, Tensor, PD_LIST_(native::some(x), native::some(scaletensor)), const Tensor& x, const Tensor& scaletensor = Tensor())
PD_FUNCTION_(scatter, scatter, Tensor, PD_LIST_(native::some(x), native::some(ids), native::some(updates)), const Tensor& x, const Tensor& ids, const Tensor& updates)
PD_FUNCTION_(scatter_nd_add, scatter_nd_add, Tensor, PD_LIST_(native::some(x), native::some(index), native::some(updates)), const Tensor& x, const Tensor& index, const Tensor& updates)
PD_FUNCTION_(segment_pool, segment_pool, std::vector<Tensors>, PD_LIST_(native::some(x), native::some(segmentids)), const Tensor& x, const Tensor& segmentids)
PD_FUNCTION_(sequence_concat, sequence_concat, Tensor, PD_LIST_(native::some(x)), const Tensors& x)
PD_FUNCTION_(sequence_conv, sequence_conv, Tensor, PD_LIST_(native::some(x), native::some(paddingdata), native::some(filter)), const Tensor& x, const Tensor& paddingdata, const Tensor& filter)
PD_FUNCTION_(sequence_mask, sequence_mask, Tensor, PD_LIST_(native::some(x), native::some(maxlentensor)), const Tensor& x, const Tensor& maxlentensor = Tensor())
PD_FUNCTION_(sequence_pad, sequence_pad, std::vector<Tensors>, PD_LIST_(native::some(x), native::some(padvalue)), const Tensor& x, const Tensor& padvalue)
PD_FUNCTION_(sequence_pool, sequence_pool, std::vector<Tensors>, PD_LIST_(native::some(x)), const Tensor& x)
PD_FUNCTION_(sequence_scatter, sequence_scatter, Tensor, PD_LIST_(native::some(x), native::some(ids), native::some(updates)), const Tensor& x, const Tensor& ids, const Tensor& updates)
PD_FUNCTION_(sequence_slice, sequence_slice, Tensor, PD_LIST_(native::some(x), native::some(offset), native::some(length)), const Tensor& x, const Tensor& offset, const Tensor& length)
PD_FUNCTION_(sequence_topk_avg_pooling, sequence_topk_avg_pooling, std::vector<Tensors>, PD_LIST_(native::some(x), native::some(row), native::some(column)), const Tensor& x, const Tensor& row, const Tensor& column)
PD_FUNCTION_(set_value, set_value, Tensor, PD_LIST_(native::some(input), native::some(valuetensor), native::some(startstensorlist), native::some(endstensorlist), native::some(stepstensorlist)), const Tensor& input, const Tensor& valuetensor = Tensor(), const Tensors& startstensorlist = Tensors(), const Tensors& endstensorlist = Tensors(), const Tensors& stepstensorlist = Tensors())
PD_FUNCTION_(sgd, sgd, std::vector<Tensors>, PD_LIST_(native::some(param), native::some(learningrate), native::some(grad), native::some(masterparam)), const Tensor& param, const Tensor& learningrate, const Tensor& grad, const Tensor& masterparam = Tensor())
PD_FUNCTION_(shuffle_batch, shuffle_batch, std::vector<Tensors>, PD_LIST_(native::some(x), native::some(seed)), const Tensor& x, const Tensor& seed)
PD_FUNCTION_(sigmoid_cross_entropy_with_logits, sigmoid_cross_entropy_with_logits, Tensor, PD_LIST_(native::some(x), native::some(label), native::some(pos_weight)), const Tensor& x, const Tensor& label, const Tensor& pos_weight = Tensor())
PD_FUNCTION_(sigmoid_focal_loss, sigmoid_focal_loss, Tensor, PD_LIST_(native::some(x), native::some(label), native::some(fgnum)), const Tensor& x, const Tensor& label, const Tensor& fgnum)
PD_FUNCTION_(skip_layernorm, skip_layernorm, Tensor, PD_LIST_(native::some(x), native::some(y), native::some(scale), native::some(bias)), const Tensor& x, const Tensor& y, const Tensor& scale, const Tensor& bias)
PD_FUNCTION_(slice, slice, Tensor, PD_LIST_(native::some(input), native::some(startstensor), native::some(endstensor), native::some(startstensorlist), native::some(endstensorlist)), const Tensor& input, const Tensor& startstensor = Tensor(), const Tensor& endstensor = Tensor(), const Tensors& startstensorlist = Tensors(), const Tensors& endstensorlist = Tensors())
PD_FUNCTION_(smooth_l1_loss, smooth_l1_loss, std::vector<Tensors>, PD_LIST_(native::some(x), native::some(y), native::some(insideweight), native::some(outsideweight)), const Tensor& x, const Tensor& y, const Tensor& insideweight = Tensor(), const Tensor& outsideweight = Tensor())
PD_FUNCTION_(softmax_with_cross_entropy, softmax_with_cross_entropy, std::vector<Tensors>, PD_LIST_(native::some(logits), native::some(label)), const Tensor& logits, const Tensor& label)
PD_FUNCTION_(spectral_norm, spectral_norm, Tensor, PD_LIST_(native::some(weight), native::some(u), native::some(v)), const Tensor& weight, const Tensor& u, const Tensor& v)
PD_FUNCTION_(split, split, Tensors, PD_LIST_(native::some(x), native::some(axistensor), native::some(sectionstensorlist)), const Tensor& x, const Tensor& axistensor = Tensor(), const Tensors& sectionstensorlist = Tensors())
PD_FUNCTION_(split_byref, split_byref, Tensors, PD_LIST_(native::some(x)), const Tensor& x)
PD_FUNCTION_(split_selected_rows, split_selected_rows, Tensors, PD_LIST_(native::some(x)), const Tensor& x)
PD_FUNCTION_(squared_l2_distance, squared_l2_distance, std::vector<Tensors>, PD_LIST_(native::some(x), native::some(y)), const Tensor& x, const Tensor& y)
PD_FUNCTION_(squeeze2, squeeze2, std::vector<Tensors>, PD_LIST_(native::some(x)), const Tensor& x)
PD_FUNCTION_(stack, stack, Tensor, PD_LIST_(native::some(x)), const Tensors& x)
PD_FUNCTION_(strided_slice, strided_slice, Tensor, PD_LIST_(native::some(input), native::some(startstensor), native::some(endstensor), native::some(stridestensor), native::some(startstensorlist), native::some(endstensorlist), native::some(stridestensorlist)), const Tensor& input, const Tensor& startstensor = Tensor(), const Tensor& endstensor = Tensor(), const Tensor& stridestensor = Tensor(), const Tensors& startstensorlist = Tensors(), const Tensors& endstensorlist = Tensors(), const Tensors& stridestensorlist = Tensors())
PD_FUNCTION_(sum, sum, Tensor, PD_LIST_(native::some(x)), const Tensors& x)
PD_FUNCTION_(svd, svd, std::vector<Tensors>, PD_LIST_(native::some(x)), const Tensor& x)
PD_FUNCTION_(target_assign, target_assign, std::vector<Tensors>, PD_LIST_(native::some(x), native::some(matchindices), native::some(negindices)), const Tensor& x, const Tensor& matchindices, const Tensor& negindices = Tensor())
PD_FUNCTION_(tdm_child, tdm_child, std::vector<Tensors>, PD_LIST_(native::some(x), native::some(treeinfo)), const Tensor& x, const Tensor& treeinfo)
PD_FUNCTION_(tdm_sampler, tdm_sampler, std::vector<Tensors>, PD_LIST_(native::some(x), native::some(travel), native::some(layer)), const Tensor& x, const Tensor& travel, const Tensor& layer)
PD_FUNCTION_(tile, tile, Tensor, PD_LIST_(native::some(x), native::some(repeattimes), native::some(repeat_times_tensor)), const Tensor& x, const Tensor& repeattimes = Tensor(), const Tensors& repeat_times_tensor = Tensors())
PD_FUNCTION_(top_k, top_k, std::vector<Tensors>, PD_LIST_(native::some(x), native::some(k)), const Tensor& x, const Tensor& k = Tensor())
PD_FUNCTION_(top_k_v2, top_k_v2, std::vector<Tensors>, PD_LIST_(native::some(x), native::some(k)), const Tensor& x, const Tensor& k = Tensor())
PD_FUNCTION_(transpose2, transpose2, std::vector<Tensors>, PD_LIST_(native::some(x)), const Tensor& x)
PD_FUNCTION_(tree_conv, tree_conv, Tensor, PD_LIST_(native::some(nodesvector), native::some(edgeset), native::some(filter)), const Tensor& nodesvector, const Tensor& edgeset, const Tensor& filter)
PD_FUNCTION_(trilinear_interp, trilinear_interp, Tensor, PD_LIST_(native::some(x), native::some(outsize), native::some(sizetensor), native::some(scale)), const Tensor& x, const Tensor& outsize = Tensor(), const Tensors& sizetensor = Tensors(), const Tensor& scale = Tensor())
PD_FUNCTION_(trilinear_interp_v2, trilinear_interp_v2, Tensor, PD_LIST_(native::some(x), native::some(outsize), native::some(sizetensor), native::some(scale)), const Tensor& x, const Tensor& outsize = Tensor(), const Tensors& sizetensor = Tensors(), const Tensor& scale = Tensor())
PD_FUNCTION_(unbind, unbind, Tensors, PD_LIST_(native::some(x)), const Tensor& x)
PD_FUNCTION_(uniform_random, uniform_random, Tensor, PD_LIST_(native::some(shapetensor), native::some(shapetensorlist)), const Tensor& shapetensor = Tensor(), const Tensors& shapetensorlist = Tensors())
PD_FUNCTION_(unique, unique, std::vector<Tensors>, PD_LIST_(native::some(x)), const Tensor& x)
PD_FUNCTION_(unique_consecutive, unique_consecutive, std::vector<Tensors>, PD_LIST_(native::some(x)), const Tensor& x)
PD_FUNCTION_(unique_with_counts, unique_with_counts, std::vector<Tensors>, PD_LIST_(native::some(x)), const Tensor& x)
PD_FUNCTION_(unsqueeze2, unsqueeze2, std::vector<Tensors>, PD_LIST_(native::some(x), native::some(axestensor), native::some(axestensorlist)), const Tensor& x, const Tensor& axestensor = Tensor(), const Tensors& axestensorlist = Tensors())
PD_FUNCTION_(unstack, unstack, Tensors, PD_LIST_(native::some(x)), const Tensor& x)
PD_FUNCTION_(update_loss_scaling, update_loss_scaling, std::vector<Tensors>, PD_LIST_(native::some(x), native::some(foundinfinite), native::some(prevlossscaling), native::some(ingoodsteps), native::some(inbadsteps), native::some(stopupdate)), const Tensors& x, const Tensor& foundinfinite, const Tensor& prevlossscaling, const Tensor& ingoodsteps, const Tensor& inbadsteps, const Tensor& stopupdate = Tensor())
PD_FUNCTION_(var_conv_2d, var_conv_2d, std::vector<Tensors>, PD_LIST_(native::some(x), native::some(row), native::some(column), native::some(w)), const Tensor& x, const Tensor& row, const Tensor& column, const Tensor& w)
PD_FUNCTION_(viterbi_decode, viterbi_decode, std::vector<Tensors>, PD_LIST_(native::some(input), native::some(transition), native::some(length)), const Tensor& input, const Tensor& transition, const Tensor& length)
PD_FUNCTION_(warpctc, warpctc, std::vector<Tensors>, PD_LIST_(native::some(logits), native::some(label), native::some(logitslength), native::some(labellength)), const Tensor& logits, const Tensor& label, const Tensor& logitslength = Tensor(), const Tensor& labellength = Tensor())
PD_FUNCTION_(where, where, Tensor, PD_LIST_(native::some(condition), native::some(x), native::some(y)), const Tensor& condition, const Tensor& x, const Tensor& y)
PD_FUNCTION_(yolo_box, yolo_box, std::vector<Tensors>, PD_LIST_(native::some(x), native::some(imgsize)), const Tensor& x, const Tensor& imgsize)
PD_FUNCTION_(yolov3_loss, yolov3_loss, std::vector<Tensors>, PD_LIST_(native::some(x), native::some(gtbox), native::some(gtlabel), native::some(gtscore)), const Tensor& x, const Tensor& gtbox, const Tensor& gtlabel, const Tensor& gtscore = Tensor())
PD_FUNCTION_(matmul, matmul_v2, Tensor, PD_LIST_(native::some(x), native::some(y)), const Tensor& x, const Tensor& y)
PD_FUNCTION_(add, elementwise_add, Tensor, PD_LIST_(native::some(x), native::some(y)), const Tensor& x, const Tensor& y)
PD_FUNCTION_(subtract, elementwise_sub, Tensor, PD_LIST_(native::some(x), native::some(y)), const Tensor& x, const Tensor& y)
PD_FUNCTION_(multiply, elementwise_mul, Tensor, PD_LIST_(native::some(x), native::some(y)), const Tensor& x, const Tensor& y)
PD_FUNCTION_(divide, elementwise_div, Tensor, PD_LIST_(native::some(x), native::some(y)), const Tensor& x, const Tensor& y)
PD_FUNCTION_(maximum, elementwise_max, Tensor, PD_LIST_(native::some(x), native::some(y)), const Tensor& x, const Tensor& y)
PD_FUNCTION_(minimum, elementwise_min, Tensor, PD_LIST_(native::some(x), native::some(y)), const Tensor& x, const Tensor& y)
PD_FUNCTION_(remainder, elementwise_mod, Tensor, PD_LIST_(native::some(x), native::some(y)), const Tensor& x, const Tensor& y)
PD_FUNCTION_(max, reduce_max, Tensor, PD_LIST_(native::some(x)), const Tensor& x)
PD_FUNCTION_(min, reduce_min, Tensor, PD_LIST_(native::some(x)), const Tensor& x)
PD_FUNCTION_(prod, reduce_prod, Tensor, PD_LIST_(native::some(x)), const Tensor& x)
PD_FUNCTION_(reshape, reshape2, Tensor, PD_LIST_(native::some(x), native::some(shape), native::some(shapetensor)), const Tensor& x, const Tensor& shape = Tensor(), const Tensors& shapetensor = Tensors())
PD_FUNCTION_(transpose, transpose2, Tensor, PD_LIST_(native::some(x)), const Tensor& x)
PD_FUNCTION_(squeeze, squeeze2, Tensor, PD_LIST_(native::some(x)), const Tensor& x)
PD_FUNCTION_(unsqueeze, unsqueeze2, Tensor, PD_LIST_(native::some(x), native::some(axestensor), native::some(axestensorlist)), const Tensor& x, const Tensor& axestensor = Tensor(), const Tensors& axestensorlist = Tensors())
PD_FUNCTION_(flatten, flatten_contiguous_range, Tensor, PD_LIST_(native::some(x)), const Tensor& x)
PD_FUNCTION_(expand, expand_v2, Tensor, PD_LIST_(native::some(x), native::some(shape), native::some(expand_shapes_tensor)), const Tensor& x, const Tensor& shape = Tensor(), const Tensors& expand_shapes_tensor = Tensors())
PD_FUNCTION_(embedding, lookup_table_v2, Tensor, PD_LIST_(native::some(ids), native::some(w)), const Tensor& ids, const Tensor& w)
PD_FUNCTION_(argmax, arg_max, Tensor, PD_LIST_(native::some(x)), const Tensor& x)
PD_FUNCTION_(argmin, arg_min, Tensor, PD_LIST_(native::some(x)), const Tensor& x)

inline Tensor matmul(const Tensor& x, const Tensor& y, bool trans_x, bool trans_y = false) {
  return native::called<Tensor>("matmul_v2", {native::some(x), native::some(y)}, {{"trans_x", trans_x}, {"trans_y", trans_y}});
}
inline Tensor concat(const Tensors& x, int64_t axis) {
  return native::called<Tensor>("concat", {native::some(x)}, {{"axis", axis}});
}
inline Tensor stack(const Tensors& x, int64_t axis) {
  return native::called<Tensor>("stack", {native::some(x)}, {{"axis", axis}});
}
inline Tensors split(const Tensor& x, const Sizes& sections, int64_t axis) {
  return native::called<Tensors>("split", {native::some(x)}, {{"sections", sections}, {"axis", axis}});
}
inline Tensor reshape(const Tensor& x, const Sizes& shape) {
  return native::called<Tensor>("reshape2", {native::some(x)}, {{"shape", shape}});
}
inline Tensor transpose(const Tensor& x, const Sizes& axis) {
  return native::called<Tensor>("transpose2", {native::some(x)}, {{"axis", axis}});
}
inline Tensor squeeze(const Tensor& x, const Sizes& axes) {
  return native::called<Tensor>("squeeze2", {native::some(x)}, {{"axes", axes}});
}
inline Tensor unsqueeze(const Tensor& x, const Sizes& axes) {
  return native::called<Tensor>("unsqueeze2", {native::some(x)}, {{"axes", axes}});
}
inline Tensor flatten(const Tensor& x, int start_axis, int stop_axis = -1) {
  return native::called<Tensor>("flatten_contiguous_range", {native::some(x)}, {{"start_axis", start_axis}, {"stop_axis", stop_axis}});
}
inline Tensor expand(const Tensor& x, const Sizes& shape) {
  return native::called<Tensor>("expand_v2", {native::some(x)}, {{"shape", shape}});
}
inline Tensor tile(const Tensor& x, const Sizes& repeat_times) {
  return native::called<Tensor>("tile", {native::some(x)}, {{"repeat_times", repeat_times}});
}
inline Tensor softmax(const Tensor& x, int axis) {
  return native::called<Tensor>("softmax", {native::some(x)}, {{"axis", axis}});
}
inline Tensor scale(const Tensor& x, double scale, double bias = 0.0, bool bias_after_scale = true) {
  return native::called<Tensor>("scale", {native::some(x)}, {{"scale", scale}, {"bias", bias}, {"bias_after_scale", bias_after_scale}});
}
inline Tensor clip(const Tensor& x, double min, double max) {
  return native::called<Tensor>("clip", {native::some(x)}, {{"min", min}, {"max", max}});
}
inline Tensor pow(const Tensor& x, double factor) {
  return native::called<Tensor>("pow", {native::some(x)}, {{"factor", factor}});
}
inline Tensor leaky_relu(const Tensor& x, double alpha) {
  return native::called<Tensor>("leaky_relu", {native::some(x)}, {{"alpha", alpha}});
}
inline Tensor gelu(const Tensor& x, bool approximate) {
  return native::called<Tensor>("gelu", {native::some(x)}, {{"approximate", approximate}});
}
inline Tensor cumsum(const Tensor& x, int64_t axis) {
  return native::called<Tensor>("cumsum", {native::some(x)}, {{"axis", axis}});
}
inline Tensor gather(const Tensor& x, const Tensor& index, int64_t axis) {
  return native::called<Tensor>("gather", {native::some(x), native::some(index)}, {{"axis", axis}});
}
inline Tensor mean(const Tensor& x, const Sizes& dim, bool keep_dim = false) {
  return native::called<Tensor>("reduce_mean", {native::some(x)}, {{"dim", dim}, {"keep_dim", keep_dim}, {"reduce_all", dim.empty()}});
}
inline Tensor max(const Tensor& x, const Sizes& dim, bool keep_dim = false) {
  return native::called<Tensor>("reduce_max", {native::some(x)}, {{"dim", dim}, {"keep_dim", keep_dim}, {"reduce_all", dim.empty()}});
}
inline Tensor min(const Tensor& x, const Sizes& dim, bool keep_dim = false) {
  return native::called<Tensor>("reduce_min", {native::some(x)}, {{"dim", dim}, {"keep_dim", keep_dim}, {"reduce_all", dim.empty()}});
}
inline Tensor sum(const Tensor& x, const Sizes& dim, DataType type = DataType::UNDEFINED, bool keep_dim = false) {
  Tensor made = native::called<Tensor>("reduce_sum", {native::some(x)}, {{"dim", dim}, {"keep_dim", keep_dim}, {"reduce_all", dim.empty()}});
  return type == DataType::UNDEFINED ? made : made.cast(type);
}

#undef PD_ONE_
#undef PD_TWO_
#undef PD_LIST_
#undef PD_FUNCTION_

}  // namespace functions
using namespace functions;  // NOLINT
}  // namespace paddle

#endif  // PADDLE_OPERATORS_H_
