import { List, Text } from '@mantine/core';
import { IconArrowBackUp, IconThumbUp } from '@tabler/icons-react';
import { api } from '../../api.ts';
import { ConfirmButton } from '../../components/confirm.tsx';
import { changedByIncident } from '../../queries/protection.ts';
import type { Incident, IncidentCourse } from '../../queries/records.ts';

type DecisionProps = { incident: Incident; course: IncidentCourse };

/** Offered while roles are taken that nobody has asked to be given back. */
export const ReturnRoles = ({ incident, course }: DecisionProps) => {
  const people = course.executors.filter(
    ({ isBot, rolesTaken, returnStatus }) =>
      !isBot && rolesTaken.length > 0 && returnStatus === null,
  );
  if (people.length === 0 || incident.status === 'open') return null;
  const { id, serverId } = incident;
  return (
    <ConfirmButton
      isDangerous
      button={{
        ...{ variant: 'default', children: 'Give roles back' },
        leftSection: <IconArrowBackUp size={18} aria-hidden />,
      }}
      title="Give the roles back?"
      label="Give them back"
      action={() => api.returnRoles({ params: { id } })}
      message="The roles are being given back."
      invalidates={changedByIncident(serverId, id)}
    >
      <Text size="sm">
        Whoever lost roles in this incident and is still in the server gets them again, with all the
        power they give. The incident stays as it is.
      </Text>
    </ConfirmButton>
  );
};

/** Ends an incident that was none. */
export const DismissIncident = ({ incident }: Pick<DecisionProps, 'incident'>) => {
  // A raid is dismissed by letting its newcomers in.
  if (incident.endedAt !== null || incident.kind === 'RAID') return null;
  const { id, serverId } = incident;
  return (
    <ConfirmButton
      isDangerous
      button={{
        ...{ variant: 'default', children: 'Dismiss as honest' },
        leftSection: <IconThumbUp size={18} aria-hidden />,
      }}
      title="Dismiss the incident as honest?"
      label="Dismiss it"
      action={() => api.dismissIncident({ params: { id } })}
      message="The incident is dismissed."
      invalidates={changedByIncident(serverId, id)}
    >
      <List size="sm" spacing="xs">
        <List.Item>Roles that were taken are given back.</List.Item>
        <List.Item>Invites work again.</List.Item>
        <List.Item>Bots that were removed have to be invited again, by you.</List.Item>
        <List.Item>Nothing is repaired.</List.Item>
      </List>
    </ConfirmButton>
  );
};
