// The words of the page of scalars.

export const words = {
  en: {
    findTags: "Find tags (regex)", smoothing: "Smoothing", horizontal: "Axis", step: "Step",
    relative: "Relative", wall: "Wall", log: "Log scale", logHint: "Values on a logarithmic axis",
    outliers: "Ignore outliers", outliersHint: "The axis fits the inner 90 % of the values",
    order: "Values by", by_down: "highest", by_up: "lowest", by_near: "nearest", by_name: "run",
    size: "Charts", size_small: "small", size_medium: "medium", size_large: "large",
    pin: "Pin at the top", unpin: "Unpin", cardLog: "Logarithmic axis for this chart",
    full: "Full size", shrink: "Back to the grid", reset: "Show the whole range",
    download: "Download", png: "Picture (PNG)", csv: "All values (CSV)",
    csvOf: "CSV of {0}", run: "Run", value: "Value", smoothed: "Smoothed", time: "Time",
    zoomIn: "Zoom in", zoomOut: "Zoom out", latest: "Latest", lowest: "Lowest", highest: "Highest",
    records: "Records", broken: "{0} not finite", brokenAt: "{0}: step {1} is {2}",
    andMore: "and {0} more", chartOf: "Chart of {0}. Arrow keys read values, + and - zoom.",
    loadFailed: "Could not be read: {0}", loading: "Reading …", nothingPositive:
      "No value is above zero: nothing to show on a logarithmic axis.",
  },
  zh: {
    findTags: "查找标签（正则）", smoothing: "平滑", horizontal: "横轴", step: "步数",
    relative: "相对时间", wall: "绝对时间", log: "对数坐标", logHint: "纵轴使用对数坐标",
    outliers: "忽略离群值", outliersHint: "纵轴只适应中间 90% 的数值",
    order: "读数排序", by_down: "从高到低", by_up: "从低到高", by_near: "离指针最近", by_name: "按实验",
    size: "图表", size_small: "小", size_medium: "中", size_large: "大",
    pin: "固定到顶部", unpin: "取消固定", cardLog: "此图使用对数坐标",
    full: "最大化", shrink: "还原", reset: "显示全部范围",
    download: "下载", png: "图片（PNG）", csv: "全部数值（CSV）",
    csvOf: "{0} 的 CSV", run: "实验", value: "数值", smoothed: "平滑值", time: "时间",
    zoomIn: "放大", zoomOut: "缩小", latest: "最新", lowest: "最小", highest: "最大",
    records: "记录数", broken: "{0} 个非有限值", brokenAt: "{0}：第 {1} 步为 {2}",
    andMore: "另有 {0} 个", chartOf: "{0} 的折线图。方向键读数，+ 和 - 缩放。",
    loadFailed: "读取失败：{0}", loading: "读取中…", nothingPositive:
      "没有大于零的数值，对数坐标下无可显示。",
  },
};
