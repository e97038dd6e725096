import { Button, Paper, Text, Title } from '@mantine/core';
import { IconUsersPlus } from '@tabler/icons-react';
import { Link } from 'react-router';
import { Empty } from '../../parts/empty.tsx';
import { useServer } from '../../parts/use-server.ts';
import { countWords, plural } from '../../parts/words.ts';
import { PullForm } from './pull-form.tsx';
import type { PullRecord } from './pull-words.ts';

/** Whom can be called, and the form that calls them; the newest pulls tell whether it is possible now. */
export const StartPull = ({ pulls }: { pulls: PullRecord[] }) => {
  const { id, _count } = useServer();
  const { pullableMembers, members } = _count;
  if (pullableMembers === 0) return <NobodyToCall />;
  return (
    <Paper withBorder p="md">
      <Title order={2} size="h4">
        {plural(pullableMembers, 'member')} can be called
      </Title>
      <Text size="sm" c="dimmed" mb="md">
        Of {countWords(members)} who verified. They agreed to be brought back, their permission
        holds, and they are not on your blacklist.
      </Text>
      <PullForm key={id} pulls={pulls} />
    </Paper>
  );
};

const NobodyToCall = () => {
  const { id } = useServer();
  return (
    <Empty
      icon={IconUsersPlus}
      title="Nobody can be called yet"
      action={
        <Button component={Link} to={`/servers/${id}/settings`}>
          Find the verification link
        </Button>
      }
    >
      A member can be called after they verified and agreed to be brought back. Give them the
      verification link; those who agree are counted here.
    </Empty>
  );
};
