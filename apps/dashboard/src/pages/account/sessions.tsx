import { Badge, Button, Group, Stack } from '@mantine/core';
import { IconLogout } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../api.ts';
import { ConfirmButton } from '../../components/confirm.tsx';
import { Moment } from '../../components/display.tsx';
import { type Column, RecordTable } from '../../components/list.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Section } from '../../components/page.tsx';
import { useAction } from '../../components/use-action.ts';
import { sessionsQuery } from '../../queries/account.ts';
import { queryKeys } from '../../queries/query-keys.ts';
import type { Session } from '../../queries/records.ts';

export const Sessions = () => {
  const sessions = useQuery(sessionsQuery);
  return (
    <Section
      title="Where you are signed in"
      note="A session ends after a week without use, and after a month in any case. If you see one that is not yours, end it and check who can sign in to your account on the platform."
    >
      <Stack gap="md">
        <Loaded query={sessions} height={120}>
          {(found) => <SessionTable sessions={found} />}
        </Loaded>
        <Group justify="flex-end">
          <ConfirmButton
            button={{
              variant: 'default',
              leftSection: <IconLogout size={16} aria-hidden />,
              children: 'Sign out everywhere',
            }}
            title="Sign out everywhere?"
            label="Sign out everywhere"
            action={() => api.endAllSessions()}
            onSuccess={() => location.assign('/login?next=/dashboard')}
          >
            Every session ends, this one included. API keys go on working.
          </ConfirmButton>
        </Group>
      </Stack>
    </Section>
  );
};

const SessionTable = ({ sessions }: { sessions: Session[] }) => {
  const end = useAction(({ id }: Session) => api.endSession({ params: { id } }), {
    message: 'That session has ended.',
    invalidates: [queryKeys.sessions],
  });
  const columns: Column<Session>[] = [
    {
      header: 'Browser',
      cell: ({ browser, isCurrent }) => (
        <Group gap="xs">
          {browser || 'An unknown browser'}
          {isCurrent && <Badge>This one</Badge>}
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
