/** A metric that an expression of Prometheus names, with the labels it reads of it. */
type UsedMetric = { metric: string; labels: string[] };

/** Labels that Prometheus adds, or that only the parts of a histogram have. */
const ofScrape = ['job', 'instance', 'le'];
/** A label of ours that Prometheus has one of its own for. */
const renamed: Record<string, string> = { exported_job: 'job' };

const grouping = /\b(by|ignoring) \(([^)]*)\)/g;

/** Labels behind `by` are taken to be of every metric of the expression. */
export const readExpression = (expression: string): UsedMetric[] => {
  const text = expression.replace(/"[^"]*"/g, '""');
  const grouped = [...text.matchAll(grouping)].flatMap(([, word, list = '']) =>
    word === 'by' ? list.split(',').map((label) => label.trim()) : [],
  );
  const ours = (label: string): string[] =>
    ofScrape.includes(label) ? [] : [renamed[label] ?? label];
  // All of ours have an underscore; what is followed by a bracket is a function.
  const named = /\b([a-z0-9]+_[a-z0-9_]+)(?:\{([^}]*)\})?(?=[^a-z0-9_({]|$)/g;
  return [...text.replace(grouping, ' ').matchAll(named)].map(([, name = '', matchers = '']) => {
    const matched = [...matchers.matchAll(/([a-z_]+)\s*[=!]/g)].map(([, label = '']) => label);
    return { metric: baseOf(name), labels: [...matched, ...grouped].flatMap(ours) };
  });
};

/** A histogram has one name, and three metrics. */
const baseOf = (name: string): string => name.replace(/_(bucket|count|sum)$/, '');

/** The labels of each metric of an answer; undefined where it has no series yet. */
export const readExposition = (text: string): Map<string, string[] | undefined> => {
  const found = new Map<string, string[] | undefined>();
  for (const line of text.split('\n')) {
    const [, described] = /^# TYPE (\S+)/.exec(line) ?? [];
    if (described) found.set(described, undefined);
    const [, name = '', labels = ''] = /^([a-z0-9_]+)(?:\{(.*)\})? \S+$/.exec(line) ?? [];
    const metric = found.has(name) ? name : baseOf(name);
    if (name === '' || found.get(metric)?.length) continue;
    const all = [...labels.matchAll(/([a-z_]+)="/g)].map(([, label = '']) => label);
    found.set(metric, all.filter((label) => label !== 'le').toSorted());
  }
  return found;
};
