const colors: Record<string, string> = {
  completed: 'green',
  COMPLETED: 'green',
  active: 'green',
  ACTIVE: 'green',
  APPLIED: 'green',
  ACCEPTED: 'green',
  failed: 'red',
  FAILED: 'red',
  revoked: 'red',
  REJECTED: 'red',
  MISMATCH: 'red',
  PAST_DUE: 'red',
  partial: 'yellow',
  PENDING: 'yellow',
  waiting: 'yellow',
  running: 'blue',
  snapshotting: 'blue',
  PAID: 'blue',
  FULFILLING: 'blue',
};

export const statusColor = (status: string): string => colors[status] ?? 'gray';

/** As a badge says it: "Past due". */
export const statusLabel = (status: string): string => {
  const words = status.toLowerCase().replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
};

/** Whether a backup, restore or pull has not ended yet. */
export const isRunning = ({ status }: { status: string }): boolean =>
  ['queued', 'snapshotting', 'running'].includes(status);
