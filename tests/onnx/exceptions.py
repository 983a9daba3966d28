"""Which operators have no rule, and which samples no form or no kernel: each with its reason.

``tests/onnx/test_samples.py`` goes over all samples; what is in none of these tables must be
exported and give equal results. What is in one for no reason fails too.
"""

from __future__ import annotations


def _each(reason: str, names: str) -> dict[str, str]:
    return dict.fromkeys(names.split(), reason)


# operator -> why it has no rule
WITHOUT_RULE: dict[str, str] = {
    **_each(
        "it trains, and a model predicts",
        "adadelta adagrad adam adamax adamw average_accumulates check_finite_and_unscale "
        "decayed_adagrad dpsgd ftrl lamb lars_momentum merged_adam merged_momentum momentum "
        "proximal_adagrad proximal_gd rmsprop sgd update_loss_scaling coalesce_tensor "
        "bipartite_match target_assign yolov3_loss nce hierarchical_sigmoid center_loss warpctc "
        "teacher_student_sigmoid_loss linear_chain_crf shuffle_batch rpn_target_assign "
        "retinanet_target_assign mine_hard_examples generate_proposal_labels generate_mask_labels "
        "sample_logits dgc dgc_clip_by_norm dgc_momentum random_crop tdm_sampler filter_by_instag "
        "inplace_abn",
    ),
    **_each(
        "it measures over many batches, or by steps of its own",
        "auc edit_distance chunk_eval detection_map precision_recall positive_negative_pair",
    ),
    **_each(
        "ONNX has none, and a composition is not written: two-stage and older detectors",
        "retinanet_detection_output locality_aware_nms box_decoder_and_assign "
        "polygon_box_transform psroi_pool prroi_pool roi_perspective_transform "
        "deformable_psroi_pooling",
    ),
    **_each(
        "ONNX has none, and a composition is not written",
        "overlap_add correlation bilateral_slice cudnn_lstm similarity_focus tree_conv tdm_child "
        "rank_attention",
    ),
    **_each(
        "ONNX's tensors have no chosen rows (SelectedRows)",
        "get_tensor_from_selected_rows merge_selected_rows split_selected_rows merge_ids",
    ),
    **_each("ONNX reads no bytes of fractions", "view_dtype lookup_table_dequant hash"),
    "poisson": "onnxruntime draws no Poisson numbers",
    **_each(
        "ONNX's operators take no complex numbers",
        "as_complex as_real complex conj imag real fft_c2c fft_c2r fft_r2c stft",
    ),
    **_each(
        "it exchanges values with other processes, or waits for them",
        "allreduce alltoall barrier c_allgather c_allreduce_max c_allreduce_min c_allreduce_prod "
        "c_allreduce_sum c_broadcast c_concat c_embedding c_identity c_reduce_max c_reduce_min "
        "c_reduce_prod c_reduce_sum c_reducescatter c_scatter c_softmax_with_cross_entropy c_split "
        "c_sync_calc_stream c_sync_comm_stream c_wait_comm c_wait_compute depend "
        "mp_allreduce_sum partial_allgather ref_by_trainer_id split_byref",
    ),
    **_each("it trains over processes", "all_reduce_list dgc_allreduce gather_rows"),
    **_each(
        "ONNX has no decompositions of matrices",
        "cholesky cholesky_solve eig eigh eigvals eigvalsh lstsq lu lu_unpack matrix_rank qr svd "
        "slogdeterminant solve triangular_solve inverse spectral_norm",
    ),
    **_each("ONNX has no such function", "digamma lgamma erfinv i0 i0e i1 i1e polygamma nextafter"),
    **_each(
        "a Program that is written has PaddlePaddle's operators in its place",
        "getitem setitem hard_cross_entropy",
    ),
}

# The same of operators that need not be there: those on levels, and those that passes of inference
# put in the place of others.
WITHOUT_RULE_IF_THERE: dict[str, str] = {
    **_each(
        "ONNX's tensors have no levels (LoD)",
        "array_to_lod_tensor beam_search beam_search_decode gru lod_rank_table lod_reset "
        "lod_tensor_to_array lstm lstmp max_sequence_len reorder_lod_tensor_by_rank "
        "sequence_concat sequence_conv sequence_enumerate sequence_erase sequence_expand "
        "sequence_expand_as sequence_pad sequence_pool sequence_reshape sequence_reverse "
        "sequence_scatter sequence_slice sequence_softmax sequence_topk_avg_pooling sequence_unpad "
        "shrink_rnn_memory match_matrix_tensor var_conv_2d pyramid_hash",
    ),
    **_each(
        "a pass puts it in the place of operators that have rules, after a model is written",
        "attention_of_joined_rows attention_of_rows fused_embedding_eltwise_layernorm "
        "int8_avg_pool2d int8_conv2d int8_conv2d_transpose int8_dequantize int8_linear "
        "int8_max_pool2d int8_quantize int8_round int8_weight "
        "layer_norm_result pack_conv2d_filter pack_linear_weight packed_conv2d packed_linear "
        "gru_pair gru_pair_weights "
        "padded_table skip_layernorm fusion_repeated_fc_relu fusion_squared_mat_sub fusion_lstm "
        "fusion_gru fused_embedding_fc_lstm attention_lstm fusion_seqconv_eltadd_relu "
        "fusion_seqexpand_concat_fc fusion_seqpool_concat fusion_seqpool_cvm_concat "
        "fused_embedding_seq_pool",
    ),
}
WITHOUT_RULE |= WITHOUT_RULE_IF_THERE

# sample -> a part of what the refusal says
REFUSED: dict[str, str] = {
    "fc-padded": "padding",
    "matrix_power-inverse": "the power -2",
    "matrix_power-zero": "the power 0",
    "put_along_axis-mean": "without the values that are there",
    "put_along_axis-add_Include_self": "without the values that are there",
    "data_norm-shift": "slot_dim and scales",
    "data_norm-slots": "slot_dim and scales",
    "data_norm-slots_shift": "slot_dim and scales",
    "batch_norm-trainable": "statistics of the batch",
    "sync_batch_norm-trainable": "statistics of the batch",
    "lrn-even_nhwc": "an even number",
    "index_put-mask": "a mask as an index",
    "im2sequence-sizes": "images of different sizes",
    "im2sequence-larger": "images of different sizes",
    # Only levels (LoD) say which rows belong together.
    "add_position_encoding-rows": "no levels",
    "row_conv-rows": "no levels",
    "crf_decoding-rows": "no levels",
    "crf_decoding-rows compared": "no levels",
    "crf_decoding-compared": "a comparison with labels",
    "ctc_align-rows": "no levels",
    "ctc_align-nothing": "no levels",
    "roi_align-offsets": "that only their LoD gives",
    "roi_pool-offsets": "that only their LoD gives",
    "multiclass_nms-eta": "nms_eta",
    "multiclass_nms2-eta": "nms_eta",
    "multiclass_nms3-eta": "nms_eta",
    "multiclass_nms-own": "that only their LoD gives",
    "multiclass_nms2-own": "that only their LoD gives",
    "multiclass_nms3-own": "that only their LoD gives",
    "multiclass_nms3-polygons": "polygons",
    "generate_proposals-falling_threshold": "eta",
    "generate_proposals-overlapping": "without suppression",
    "unique_consecutive-rows": "along an axis",
    "nanmedian-ints": "of integers",
    "uniform_random-diagonal": "on a diagonal",
    "uniform_random_inplace-diagonal": "on a diagonal",
    "max_pool2d_with_index-adaptive": "windows of different sizes",
}

# sample -> why onnxruntime does not run the model, which is right
NO_KERNEL: dict[str, str] = {
    "atan2-int": "onnxruntime has no Atan of float64",
}

# sample -> why what it gives is not compared
NOT_COMPARED: dict[str, str] = {
    "empty": "its values are whatever there is",
    "empty-tensor": "its values are whatever there is",
    "gumbel_softmax": "its sums are compared as those of float64",
    "gumbel_softmax-gradient": "its sums are compared as those of float64",
    "gumbel_softmax-axis": "its sums are compared as those of float64",
    "top_k_v2-unsorted": "any order is right",
    "scaled_dot_product_attention-dropout_0.4": "a model predicts, so nothing is dropped",
    "scaled_dot_product_attention-dropout_1.0": "a model predicts, so nothing is dropped",
}

# operator -> why its first dimensions have to be known
CLOSED: dict[str, str] = {
    **_each(
        "places on a diagonal depend on the sizes",
        "trace diag diag_v2 diag_embed diagonal fill_diagonal fill_diagonal_tensor",
    ),
    **_each("so do windows", "tensor_unfold frame im2sequence"),
    **_each("so do anchors", "density_prior_box"),
    "roi_pool": "as roi_align",
    "roi_align": "one image needs no numbers of regions, and whether there is one is not known",
    "equal_all": "operands of different sizes are never equal, and cannot be compared",
    "repeat_interleave": "each row has a number of its own",
}

# sample -> why it cannot be run with open sizes
NOT_OPEN: dict[str, str] = {
    "bilinear_interp_v2-out_size": "how many sizes there are is known in every model",
    "bilinear_interp_v2-size_list": "how many sizes there are is known in every model",
    "squeeze-larger_stays": "a Program says whether an axis goes",
    "squeeze2-larger_stays": "a Program says whether an axis goes",
    "pool2d-avg_in_cut_off": "windows larger than the picture",
}
