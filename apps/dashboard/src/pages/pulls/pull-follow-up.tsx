import { Anchor, List, Paper, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { plural } from '../../parts/words.ts';
import type { PullRecord } from './pull-words.ts';

/** What is left to do for those whom the pull did not bring. */
export const PullFollowUp = ({ pull }: { pull: PullRecord }) => {
  const { tokenInvalid, banned, guildLimit, failed } = pull.results;
  const uncalled = pull.total - pull.processed;
  if (tokenInvalid + banned + guildLimit + failed + uncalled === 0) return null;
  return (
    <Paper withBorder p="md">
      <Title order={2} size="h4" mb="xs">
        What is left to do
      </Title>
      <List size="sm" spacing="xs">
        <Left count={uncalled} about="Not called">
          Start another pull when the cooldown is over.
        </Left>
        <Left count={failed} about="Failed">
          Another pull may bring them.
        </Left>
        <Left count={tokenInvalid} about="Only an invite reaches them">
          Post an invite where they can see it, with the verification link from the{' '}
          <Anchor
            component={Link}
            to={`/servers/${pull.serverId}/settings`}
            inherit
            underline="always"
          >
            settings
          </Anchor>
          . Who verifies again can be called the next time.
        </Left>
        <Left count={banned} about="Banned there">
          Lift the bans of those who should come back, then send them an invite.
        </Left>
        <Left count={guildLimit} about="In as many servers as the platform allows">
          Send them an invite for when they have left one.
        </Left>
      </List>
      <Text size="sm" c="dimmed" mt="sm">
        All results are explained in the{' '}
        <Anchor href="/docs" inherit underline="always">
          API reference
        </Anchor>
        .
      </Text>
    </Paper>
  );
};

type LeftProps = { count: number; about: string; children: ReactNode };

const Left = ({ count, about, children }: LeftProps) =>
  count > 0 && (
    <List.Item>
      <b className="holdfast-number">
        {about}: {plural(count, 'member')}.
      </b>{' '}
      {children}
    </List.Item>
  );
