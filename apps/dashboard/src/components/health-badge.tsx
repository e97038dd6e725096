import { Badge, Group } from '@mantine/core';
import { healthLabels } from '../labels/health.ts';
import { openBadge } from '../labels/open-incidents.ts';
import type { Incident, Server } from '../queries/records.ts';

type StatusProps = Pick<Server, 'health'> & { openIncidents: Pick<Incident, 'kind'>[] };

/**
 * How a server stands, also by its open incidents: while one is open, no green badge is shown. The colour
 * only repeats what the text says.
 */
export const ServerStatus = ({ health, openIncidents }: StatusProps) => {
  const { label, color } = healthLabels[health];
  const badges = [...new Set(openIncidents.map(openBadge))];
  return (
    <Group gap={6}>
      {badges.map((badge) => (
        <Badge key={badge} color="red" variant="filled">
          {badge}
        </Badge>
      ))}
      {(badges.length === 0 || health !== 'GOOD') && <Badge color={color}>Health: {label}</Badge>}
    </Group>
  );
};
