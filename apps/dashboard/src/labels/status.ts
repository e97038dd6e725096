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

export const statusLabel = (status: string): string => status.toLowerCase().replaceAll('_', ' ');

/** Whether a backup, restore or pull has not ended yet. */
export const isRunning = ({ status }: { status: string }): boolean =>
  ['queued', 'snapshotting', 'running'].includes(status);
