/** The value below which the given share of all values lies. */
export const quantile = (values: readonly number[], share: number): number => {
  const sorted = [...values].sort((a, b) => a - b);
  const at = Math.min(sorted.length - 1, Math.floor(sorted.length * share));
  return sorted[at] ?? Number.NaN;
};

export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** Of the straight line that lies nearest to the points. */
export const slopeOf = (points: readonly (readonly [number, number])[]): number => {
  const mean = (values: number[]) => values.reduce((sum, one) => sum + one, 0) / values.length;
  const [meanX, meanY] = [mean(points.map(([x]) => x)), mean(points.map(([, y]) => y))];
  const sumOf = (term: (x: number, y: number) => number) =>
    points.reduce((sum, [x, y]) => sum + term(x - meanX, y - meanY), 0);
  return sumOf((x, y) => x * y) / sumOf((x) => x * x);
};
