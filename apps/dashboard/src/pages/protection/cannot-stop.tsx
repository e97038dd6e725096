import { Box, Button, Group, Paper, Stack, Text } from '@mantine/core';
import { Link } from 'react-router';
import { Name } from '../../components/display.tsx';
import { Fold } from '../../components/fold.tsx';
import { Note } from '../../components/page.tsx';
import { sayPermissions } from '../../labels/permissions.ts';
import { isByNature, limitLabels } from '../../labels/protection.ts';
import type { Protection } from '../../queries/records.ts';
import { useServer } from '../../queries/servers.ts';

type Limit = Protection['cannotStop'][number];

/** Whether the bot could act. It is good news only while protection is on. */
export const CannotStop = ({ protection }: { protection: Protection }) => {
  const { cannotStop: limits, antiNukeEnabled, antiRaidEnabled } = protection;
  const toMend = limits.filter(({ code }) => !isByNature(code));
  const given = limits.filter(({ code }) => isByNature(code));
  const isOn = antiNukeEnabled && antiRaidEnabled;
  return (
    <>
      {toMend.length > 0 && (
        <Note
          tone="danger"
          title={isOn ? 'What cannot be stopped now' : 'What could not be stopped either'}
        >
          <Stack gap="sm">
            <Limits limits={toMend} />
            <Remedy limits={toMend} />
          </Stack>
        </Note>
      )}
      {toMend.length === 0 && isOn && (
        <Note tone="success" title="Protection is on, and the bot can act">
          <Text size="sm">
            It sees what happens, can take roles, remove bots and pause invites, and there is a good
            backup to repair from.
          </Text>
        </Note>
      )}
      {given.length > 0 && (
        <Paper withBorder px="lg" py="sm">
          <Fold label="What no bot can stop">
            <Box pt="xs">
              <Limits limits={given} />
            </Box>
          </Fold>
        </Paper>
      )}
    </>
  );
};

const Limits = ({ limits }: { limits: Limit[] }) => (
  <Stack component="ul" gap="xs" m={0} p={0} style={{ listStyle: 'none' }}>
    {limits.map(({ code, detail }) => (
      <li key={`${code} ${detail}`}>
        <Text size="sm" fw={600}>
          {limitLabels[code]}
        </Text>
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          <Name>{sayPermissions(detail)}</Name>
        </Text>
      </li>
    ))}
  </Stack>
);

const Remedy = ({ limits }: { limits: Limit[] }) => {
  const { id } = useServer();
  const has = (...codes: Limit['code'][]) => limits.some(({ code }) => codes.includes(code));
  return (
    <Group gap="sm">
      {has('NOT_CONNECTED', 'MISSING_INTENT', 'NOT_IN_GUILD') && (
        <Button component={Link} to="/bots" size="xs">
          Look at the bot
        </Button>
      )}
      {has('NO_GOOD_BACKUP') && (
        <Button component={Link} to={`/servers/${id}/backups`} size="xs">
          Back it up
        </Button>
      )}
    </Group>
  );
};
