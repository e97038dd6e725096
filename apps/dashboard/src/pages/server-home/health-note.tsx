import { Button, Group, List, Stack, Text } from '@mantine/core';
import { Link } from 'react-router';
import { api } from '../../api.ts';
import { ConfirmButton } from '../../components/confirm.tsx';
import { Note } from '../../components/page.tsx';
import { isBroken, remedyOf } from '../../labels/health.ts';
import { queryKeys } from '../../queries/query-keys.ts';
import type { Server } from '../../queries/records.ts';
import { changedByBackup } from '../../queries/recovery.ts';

const notes = {
  LOST: { tone: 'danger', title: 'This server is lost' },
  DAMAGED: { tone: 'danger', title: 'This server is damaged' },
  CHANGED: { tone: 'warning', title: 'Something that the settings name is gone' },
  UNKNOWN: { tone: 'info', title: 'The health of this server is not known' },
} as const;

type HealthNoteProps = {
  server: Server;
  /** Its button is the one that stands out. */
  isLeading: boolean;
};

/** What is wrong with the server, and the one step that helps. */
export const HealthNote = ({ server, isLeading }: HealthNoteProps) => {
  const { health, healthReasons } = server;
  if (health === 'GOOD') return null;
  const remedy = remedyOf(server);
  const filled = isBroken(server) ? { color: 'red' } : {};
  const look = isLeading ? filled : { variant: 'default' };
  return (
    <Note {...notes[health]}>
      <Stack gap="sm">
        <List size="sm" spacing={4}>
          {healthReasons.map(({ code, detail }) => (
            <List.Item key={code}>{detail}</List.Item>
          ))}
        </List>
        <Group gap="sm">
          {remedy && (
            <Button component={Link} to={remedy.to} size="xs" {...look}>
              {remedy.action}
            </Button>
          )}
          {health === 'DAMAGED' && <AcceptButton server={server} />}
        </Group>
      </Stack>
    </Note>
  );
};

const AcceptButton = ({ server: { id } }: { server: Server }) => (
  <ConfirmButton
    isDangerous
    button={{ variant: 'default', size: 'xs', children: 'This is how it should be' }}
    title="Accept the server as it is?"
    label="Accept it"
    action={() => api.acceptHealth({ params: { id } })}
    message="A backup of the present state is being made."
    invalidates={[...changedByBackup(id), queryKeys.overview]}
  >
    <Text size="sm">
      A backup is made now. It becomes the last good one: what is missing today is not missed any
      more. Earlier backups stay as they are.
    </Text>
  </ConfirmButton>
);
