import { Badge } from '@mantine/core';

const colors: Record<string, string> = {
  completed: 'green',
  COMPLETED: 'green',
  ACTIVE: 'green',
  PAID: 'green',
  VALID: 'green',
  APPLIED: 'green',
  ACCEPTED: 'green',
  ONLINE: 'green',
  failed: 'red',
  FAILED: 'red',
  REVOKED: 'red',
  REJECTED: 'red',
  MISMATCH: 'red',
  PAST_DUE: 'red',
  partial: 'yellow',
  running: 'blue',
  snapshotting: 'blue',
  FULFILLING: 'blue',
  queued: 'gray',
};

/** Where something stands; the colour only repeats what the word says. */
export const StatusBadge = ({ status }: { status: string }) => (
  <Badge variant="light" color={colors[status] ?? 'gray'} tt="none" autoContrast>
    {status.toLowerCase().replaceAll('_', ' ')}
  </Badge>
);
