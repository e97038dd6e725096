import { Anchor, List, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Section, TextLink } from '../../components/page.tsx';
import { plural } from '../../labels/format.ts';
import type { PullRecord } from '../../queries/records.ts';

/** What to do about the members who did not join. */
export const PullFollowUp = ({ pull }: { pull: PullRecord }) => {
  const { tokenInvalid, banned, guildLimit, failed } = pull.results;
  const untried = pull.total - pull.processed;
  if (tokenInvalid + banned + guildLimit + failed + untried === 0) return null;
  return (
    <Section title="What is left to do" padding="md">
      <List size="sm" spacing="xs">
        <Left count={untried} about="Not tried">
          Resume this pull: there is no cooldown for it.
        </Left>
        <Left count={failed} about="Failed">
          Another pull may bring them back.
        </Left>
        <Left count={tokenInvalid} about="Only an invite reaches them">
          Post the invite above where they can see it, or the verify link of the{' '}
          <TextLink to={`/servers/${pull.serverId}`}>server</TextLink>: members who verify again can
          be brought back the next time.
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
    </Section>
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
