import { Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { Name } from '../../components/display.tsx';
import { Note } from '../../components/page.tsx';
import { plural } from '../../labels/format.ts';
import { incidentState, incidentTitle } from '../../labels/incidents.ts';
import {
  type Attackers,
  attackersOf,
  isOpen,
  openIncidentText,
  worstFirst,
} from '../../labels/open-incidents.ts';
import { incidentsQuery, waveQuery } from '../../queries/protection.ts';
import type { Incident } from '../../queries/records.ts';

/** The incidents of a server that have not ended, the worst first. */
export const useOpenIncidents = (serverId: string): OpenIncident[] => {
  const { data } = useQuery(incidentsQuery(serverId, 1));
  const open = data?.data.filter(isOpen) ?? [];
  return worstFirst(open.map((incident) => ({ ...incident, attackers: attackersOf(incident) })));
};

type OpenIncident = Incident & { attackers: Attackers };

/** Every incident that is open, with one button each. */
export const IncidentNote = ({ incidents }: { incidents: OpenIncident[] }) => {
  const [worst] = incidents;
  if (!worst) return null;
  const isOne = incidents.length === 1;
  return (
    <Note
      tone="danger"
      title={isOne ? openIncidentText(worst).title : `${incidents.length} incidents are open`}
    >
      <Stack component="ul" gap="sm" m={0} p={0} style={{ listStyle: 'none' }}>
        {incidents.map((incident) => (
          <Line
            key={incident.id}
            incident={incident}
            isTitled={!isOne}
            isLeading={incident === worst}
          />
        ))}
      </Stack>
    </Note>
  );
};

type LineProps = {
  incident: OpenIncident;
  isTitled: boolean;
  /** Its button is the one that stands out. */
  isLeading: boolean;
};

const Line = ({ incident, isTitled, isLeading }: LineProps) => {
  const { title, action } = openIncidentText(incident);
  return (
    <Group component="li" justify="space-between" gap="xs">
      <Text size="sm" flex="1 1 14rem">
        {isTitled && <b>{title}: </b>}
        {incident.kind === 'RAID' ? (
          <RaidText incident={incident} />
        ) : (
          <AttackText incident={incident} />
        )}
      </Text>
      <Button
        component={Link}
        to={`/servers/${incident.serverId}/incidents/${incident.id}`}
        size="xs"
        variant={isLeading ? 'filled' : 'default'}
      >
        {action}
      </Button>
    </Group>
  );
};

const AttackText = ({ incident }: { incident: Incident }) => (
  <>
    <Name>{incidentTitle(incident)}</Name>, {plural(incident.objectsLost, 'object')} lost.
  </>
);

const RaidText = ({ incident }: { incident: Incident }) => {
  const { data: wave } = useQuery(waveQuery(incident.id));
  if (incident.status === 'open' || !wave) return incidentState(incident).message;
  const { held } = wave.counts;
  return `${plural(held, 'newcomer waits', 'newcomers wait')} for your decision.`;
};
