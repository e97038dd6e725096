/** A day as a date field has it, in the reader's own zone. */
export const dayText = (date: Date): string => {
  const two = (value: number) => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
};

/** When that day is over where the reader is; null where none is chosen. */
export const endOfDay = (day: string): string | null => {
  const [year, month, date] = day.split('-').map(Number);
  if (!year || !month || !date) return null;
  return new Date(year, month - 1, date, 23, 59, 59).toISOString();
};
