import paddle.fluid as fluid

y = fluid.layers.mean(x)
