import type { Output } from '@holdfast/sdk';
import { Badge, Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { IconLogout } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../api.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { Moment } from '../../parts/moment.tsx';
import { type Column, RecordTable } from '../../parts/record-table.tsx';
import { useAct } from '../../parts/use-act.ts';

type Session = Output<'listSessions'>[number];

const signInAgain = () => location.assign('/login?next=/dashboard');

export const Sessions = () => {
  const sessions = useQuery({
    queryKey: ['sessions'],
    queryFn: () => api.listSessions(),
    refetchInterval: 15_000,
  });
  const endAll = useAct(() => api.endAllSessions(), { onDone: signInAgain });
  return (
    <Paper withBorder p="lg" component="section" aria-labelledby="sessions">
      <Stack gap="md">
        <Stack gap={4}>
          <Title order={2} size="h4" id="sessions">
            Where you are signed in
          </Title>
          <Text size="sm" c="dimmed">
            A session ends when it was not used for a week, and after a month in any case. Do you
            see one that is not yours? End it, and check who can sign in to your account on the
            platform.
          </Text>
        </Stack>
        <Loaded query={sessions} height={120}>
          {(found) => <SessionTable sessions={found} />}
        </Loaded>
        <Group justify="flex-end">
          <Button
            variant="default"
            leftSection={<IconLogout size={16} aria-hidden />}
            loading={endAll.isPending}
            onClick={() => endAll.mutate()}
          >
            Sign out everywhere
          </Button>
        </Group>
      </Stack>
    </Paper>
  );
};

const SessionTable = ({ sessions }: { sessions: Session[] }) => {
  const end = useAct(({ id }: Session) => api.endSession({ params: { id } }), {
    done: 'That session has ended.',
    touches: [['sessions']],
  });
  const columns: Column<Session>[] = [
    {
      header: 'Browser',
      cell: ({ browser, isCurrent }) => (
        <Group gap="xs">
          {browser || 'An unknown browser'}
          {isCurrent && (
            <Badge variant="light" tt="none">
              this one
            </Badge>
          )}
        </Group>
      ),
    },
    { header: 'Since', cell: ({ createdAt }) => <Moment at={createdAt} /> },
    { header: 'Ends', cell: ({ expiresAt }) => <Moment at={expiresAt} /> },
    {
      header: '',
      cell: (session) =>
        !session.isCurrent && (
          <Button
            variant="subtle"
            color="red"
            size="compact-sm"
            aria-label={`End the session of ${session.browser}`}
            loading={end.isPending && end.variables.id === session.id}
            onClick={() => end.mutate(session)}
          >
            End
          </Button>
        ),
    },
  ];
  return <RecordTable caption="Your sessions" columns={columns} rows={sessions} />;
};
