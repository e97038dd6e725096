import { Group, List, Stack, Text } from '@mantine/core';
import { IconArrowBackUp, IconThumbUp } from '@tabler/icons-react';
import { api } from '../../api.ts';
import { ConfirmButton } from '../../components/confirm.tsx';
import { Section } from '../../components/page.tsx';
import { changedByIncident } from '../../queries/protection.ts';
import type { Incident, IncidentCourse } from '../../queries/records.ts';

type DecisionProps = { incident: Incident; course: IncidentCourse };

/** What is in favour of those who were stopped, beside who they are. */
export const NotAnAttack = ({ incident, course }: DecisionProps) => {
  const canReturn = canReturnRoles({ incident, course });
  // A raid is dismissed by letting its newcomers in.
  const canDismiss = incident.endedAt === null && incident.kind === 'NUKE';
  if (!canReturn && !canDismiss) return null;
  return (
    <Section title={canDismiss ? 'It was not an attack?' : 'Roles that were taken'}>
      <Stack gap="md">
        {canReturn && <ReturnRoles incident={incident} />}
        {canDismiss && <DismissIncident incident={incident} />}
      </Stack>
    </Section>
  );
};

/** While roles are taken that nobody has asked to be given back. */
const canReturnRoles = ({ incident, course }: DecisionProps): boolean =>
  incident.status !== 'open' &&
  course.executors.some(
    ({ isBot, rolesTaken, returnStatus }) =>
      !isBot && rolesTaken.length > 0 && returnStatus === null,
  );

const ReturnRoles = ({ incident: { id, serverId } }: Pick<DecisionProps, 'incident'>) => (
  <Group justify="space-between" gap="sm">
    <Text size="sm" flex="1 1 16rem">
      Whoever lost roles and is still in the server gets them again. The incident stays as it is.
    </Text>
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
  </Group>
);

/** Ends an incident that was none. */
const DismissIncident = ({ incident: { id, serverId } }: Pick<DecisionProps, 'incident'>) => (
  <Group justify="space-between" gap="sm">
    <Text size="sm" flex="1 1 16rem">
      If it was honest work: roles are given back, invites work again, and nothing is repaired.
    </Text>
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
        <List.Item>Nothing is repaired; you can still do that later.</List.Item>
      </List>
    </ConfirmButton>
  </Group>
);
