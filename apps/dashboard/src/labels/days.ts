/** Consecutive records of one day in the reader's own zone, in the order they are given. */
export const groupByDay = <Row>(
  rows: Row[],
  timeOf: (row: Row) => string,
  now = new Date(),
): { day: string; rows: Row[] }[] => {
  const groups: { day: string; rows: Row[] }[] = [];
  for (const row of rows) {
    const day = dayLabel(new Date(timeOf(row)), now);
    const last = groups.at(-1);
    if (last?.day === day) last.rows.push(row);
    else groups.push({ day, rows: [row] });
  }
  return groups;
};

const dayLabel = (at: Date, now: Date): string => {
  const days = Math.round((startOfDay(now) - startOfDay(at)) / 86_400_000);
  if (days === 0) return 'Today';
  if (days === 1) return 'Yesterday';
  return at.toLocaleDateString(undefined, { dateStyle: 'full' });
};

const startOfDay = (at: Date): number => new Date(at).setHours(0, 0, 0, 0);
