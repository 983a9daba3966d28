"""Guide 2.2 and 2.3: datasets, loading, preprocessing."""

from __future__ import annotations

import ast
from pathlib import Path

import numpy as np

import paddle
from paddle.io import Dataset
from paddle.vision.transforms import ColorJitter, Compose, Resize, ToTensor
from tests.seeds.printed import output, small_mnist

BATCH_SIZE = 64
BATCH_NUM = 20
IMAGE_SIZE = (28, 28)
CLASS_NUM = 10


class MyDataset(Dataset):
    """步骤一：继承 paddle.io.Dataset 类"""

    def __init__(self, num_samples):
        """步骤二：实现构造函数，定义数据集大小"""
        super(MyDataset, self).__init__()  # noqa: UP008
        self.num_samples = num_samples

    def __getitem__(self, index):
        """步骤三：实现__getitem__ 方法"""
        data = paddle.uniform(IMAGE_SIZE, dtype="float32")
        label = paddle.randint(0, CLASS_NUM - 1, dtype="int64")
        return data, label

    def __len__(self):
        """步骤四：实现__len__ 方法，返回数据集总数目"""
        return self.num_samples


class Transformed(Dataset):
    """2.3.2: the same with a transform."""

    def __init__(self, num_samples):
        super(Transformed, self).__init__()  # noqa: UP008
        self.num_samples = num_samples
        # 在 `__init__` 中定义数据增强方法，此处为调整图像大小
        self.transform = Compose([Resize(size=32)])

    def __getitem__(self, index):
        data = paddle.uniform(IMAGE_SIZE, dtype="float32")
        # 在 `__getitem__` 中对数据集使用数据增强方法
        data = self.transform(data.numpy())
        label = paddle.randint(0, CLASS_NUM - 1, dtype="int64")
        return data, label

    def __len__(self):
        return self.num_samples


def test_names_of_datasets() -> None:
    with output() as out:
        print("视觉相关数据集：", paddle.vision.datasets.__all__)
    out.is_("""视觉相关数据集： ['DatasetFolder', 'ImageFolder', 'MNIST', 'FashionMNIST', 'Flowers',
        'Cifar10', 'Cifar100', 'VOC2012']""")


def test_names_of_text_datasets() -> None:
    with output() as out:
        print("自然语言相关数据集：", paddle.text.datasets.__all__)
    out.is_("""自然语言相关数据集： ['Conll05st', 'Imdb', 'Imikolov', 'Movielens', 'UCIHousing',
        'WMT14', 'WMT16']""")


def test_builtin_dataset(tmp_path: Path) -> None:
    with small_mnist(tmp_path, train=30, test=20):
        # 训练数据集 用 ToTensor 将数据格式转为 Tensor
        train_dataset = paddle.vision.datasets.MNIST(mode="train", transform=ToTensor())
        # 验证数据集
        val_dataset = paddle.vision.datasets.MNIST(mode="test", transform=ToTensor())
    assert (len(train_dataset), len(val_dataset)) == (30, 20)
    image, label = train_dataset[7]
    assert isinstance(image, paddle.Tensor)
    assert image.shape == [1, 28, 28]
    np.testing.assert_allclose(float(image.max()), 250 / 255, rtol=1e-6)
    assert label.tolist() == [7]


def test_custom_dataset() -> None:
    with output() as out:
        # 测试定义的数据集
        custom_dataset = MyDataset(BATCH_SIZE * BATCH_NUM)

        print("=============custom dataset=============")
        for data, label in custom_dataset:
            print(data.shape, label.shape)
            break
    out.is_("""=============custom dataset=============
        [28, 28] [1]""")


def test_loading() -> None:
    custom_dataset = MyDataset(BATCH_SIZE * BATCH_NUM)
    train_loader = paddle.io.DataLoader(custom_dataset, batch_size=BATCH_SIZE, shuffle=True)
    with output() as out:
        # 如果要加载内置数据集，将 custom_dataset 换为 train_dataset 即可
        for batch_id, data in enumerate(train_loader()):  # noqa: B007
            x_data = data[0]
            y_data = data[1]

            print(x_data.shape)
            print(y_data.shape)
            break
    out.is_("[64, 28, 28] [64, 1]")
    assert batch_id == 0
    assert len(train_loader) == BATCH_NUM
    labels = y_data.numpy()
    assert labels.dtype == np.int64
    assert labels.min() >= 0
    assert labels.max() <= CLASS_NUM - 2  # randint leaves out its upper end


def test_loading_with_workers_and_without_buffer() -> None:
    custom_dataset = MyDataset(2 * BATCH_SIZE)
    for options in ({"num_workers": 2}, {"use_buffer_reader": False}):
        loader = paddle.io.DataLoader(custom_dataset, batch_size=BATCH_SIZE, **options)
        assert [batch[0].shape for batch in loader()] == [[64, 28, 28]] * 2


def test_names_of_transforms() -> None:
    guide = """['BaseTransform', 'Compose', 'Resize', 'RandomResizedCrop', 'CenterCrop',
        'RandomHorizontalFlip', 'RandomVerticalFlip', 'Transpose', 'Normalize',
        'BrightnessTransform', 'SaturationTransform', 'ContrastTransform', 'HueTransform',
        'ColorJitter', 'RandomCrop', 'Pad', 'RandomRotation', 'Grayscale', 'ToTensor', 'to_tensor',
        'hflip', 'vflip', 'resize', 'pad', 'rotate', 'to_grayscale', 'crop',
        'center_crop', 'adjust_brightness', 'adjust_contrast', 'adjust_hue', 'normalize']"""
    with output() as out:
        print("数据处理方法：", paddle.vision.transforms.__all__)
    out.is_(f"数据处理方法： {guide}")
    for name in ast.literal_eval(guide):
        assert callable(getattr(paddle.vision.transforms, name))


def test_augmenting_a_builtin_dataset(tmp_path: Path) -> None:
    # 定义想要使用的数据增强方式，这里包括随机调整亮度、对比度和饱和度，改变图片大小
    transform = Compose([ColorJitter(), Resize(size=32)])
    with small_mnist(tmp_path, train=30, test=10):
        # 通过 transform 参数传递定义好的数据增强方法即可完成对自带数据集的增强
        train_dataset = paddle.vision.datasets.MNIST(mode="train", transform=transform)
    image, label = train_dataset[3]
    assert image.size == (32, 32)
    assert label.tolist() == [3]


def test_augmenting_ones_own_dataset() -> None:
    with output() as out:
        # 测试定义的数据集
        custom_dataset = Transformed(BATCH_SIZE * BATCH_NUM)

        print("=============custom dataset=============")
        for data, label in custom_dataset:
            print(data.shape, label.shape)
            break
    # The guide shows the list [32, 32]; what Resize gives back for an array is an array.
    out.is_("""=============custom dataset=============
        (32, 32) [1]""")
