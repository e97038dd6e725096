import type { JobKind } from '@holdfast/sdk/catalog';
import { duration } from '../output/format.ts';
import { cut } from '../output/table.ts';
import { textWidth } from '../output/text-width.ts';

/** What is known of a job at one moment, whatever its kind. */
type Progress = {
  percent: number;
  done?: number;
  total?: number;
  /** By the service's own estimate. */
  secondsLeft?: number | null;
  status: string;
};

export type JobState = {
  status: string;
  progress: number;
  steps?: { total: number; done: number };
  total?: number;
  processed?: number;
  etaSeconds?: number | null;
};

export const progressOf = (job: JobState): Progress => ({
  percent: job.progress,
  status: job.status,
  done: job.steps?.done ?? job.processed,
  total: job.steps?.total ?? job.total,
  secondsLeft: job.etaSeconds,
});

const units: Record<JobKind, string> = { backup: '%', restore: 'steps', pull: 'members' };

/** How fast it goes, from its first progress to the last. */
export const createMeter = (kind: JobKind) => {
  let first: { at: number; amount: number } | undefined;
  return (progress: Progress, now: number): { rate?: string; secondsLeft?: number } => {
    const amount = progress.done ?? progress.percent;
    const total = progress.total ?? 100;
    if (first === undefined || amount < first.amount) first = { at: now, amount };
    const seconds = (now - first.at) / 1000;
    const perSecond = seconds > 0 ? (amount - first.amount) / seconds : 0;
    const own = perSecond > 0 ? (total - amount) / perSecond : undefined;
    return {
      rate:
        perSecond > 0 ? `${perSecond.toFixed(perSecond < 10 ? 1 : 0)} ${units[kind]}/s` : undefined,
      secondsLeft: progress.secondsLeft ?? own,
    };
  };
};

type Line = Progress & { label: string; rate?: string; columns: number };

/** One line: label, bar, how much, how fast, how long; what does not fit is left out, the label last. */
export const progressLine = (line: Line): string => {
  const { label, percent, done, total, rate, secondsLeft, status, columns } = line;
  const isCounted = done !== undefined && total !== undefined && total > 0;
  const left = secondsLeft && percent < 100 ? `${duration(secondsLeft)} left` : status;
  const facts = [`${String(percent).padStart(3)} %`, left];
  if (columns >= 60 && isCounted) facts.push(`${done}/${total}`);
  if (columns >= 80 && rate) facts.push(rate);
  const text = facts.join('  ');
  const width = Math.min(30, Math.max(6, columns - textWidth(text) - textWidth(label) - 5));
  const full = Math.round((percent / 100) * width);
  const bar = '█'.repeat(full) + '░'.repeat(width - full);
  const room = columns - 1 - textWidth(text) - width - 4;
  return `${cut(label, Math.max(6, room))}  ${bar}  ${text}`;
};
