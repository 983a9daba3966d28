// The words of the page of hyper-parameters.

export const words = {
  en: {
    find: "Find runs and values (regex)", chart: "Chart", parallel: "Parallel", scatter: "Scatter",
    table: "Table only", color: "Colour by", byRun: "run", across: "Across", up: "Up",
    filters: "Columns and filters", from: "from", to: "to", least: "Least {0}", most: "Most {0}",
    show: "Show {0}", clearFilters: "Clear the filters", run: "Run", parameter: "parameter",
    metric: "metric", csv: "Table (CSV)", png: "Picture (PNG)", download: "Download",
    found: "{0} of {1} runs", sortBy: "Sort by {0}", openScalars: "Scalars of this run",
    log: "Log axes", noColumns: "There is nothing to draw: choose columns.",
    parallelOf: "Parallel axes of {0} runs; drag along an axis to select.",
    scatterOf: "{1} over {0} of {2} runs", selected: "{0} selected on the axes",
    clearSelection: "Clear the selection",
  },
  zh: {
    find: "查找实验与数值（正则）", chart: "图表", parallel: "平行坐标", scatter: "散点图",
    table: "仅表格", color: "着色", byRun: "按实验", across: "横轴", up: "纵轴",
    filters: "列与筛选", from: "从", to: "到", least: "{0} 的下限", most: "{0} 的上限",
    show: "显示 {0}", clearFilters: "清除筛选", run: "实验", parameter: "参数",
    metric: "指标", csv: "表格（CSV）", png: "图片（PNG）", download: "下载",
    found: "{0} / {1} 个实验", sortBy: "按 {0} 排序", openScalars: "查看该实验的标量",
    log: "对数坐标", noColumns: "没有可画的内容，请选择列。",
    parallelOf: "{0} 个实验的平行坐标，在轴上拖动可选取。",
    scatterOf: "{2} 个实验的 {1} 与 {0}", selected: "已在轴上选取 {0} 个",
    clearSelection: "清除选取",
  },
};
