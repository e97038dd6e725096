import { Badge } from '@mantine/core';
import { healthLabels } from '../labels/health.ts';
import type { Server } from '../queries/records.ts';

/** The colour only repeats what the text says. */
export const HealthBadge = ({ health }: Pick<Server, 'health'>) => {
  const { label, color } = healthLabels[health];
  return <Badge color={color}>health: {label}</Badge>;
};
