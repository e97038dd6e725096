import { SimpleGrid, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from 'react-router';
import { Moment, Name } from '../../../components/display.tsx';
import { RecordTable } from '../../../components/list.tsx';
import { Loaded } from '../../../components/loaded.tsx';
import { BackLink, PageHead, Section, TextLink } from '../../../components/page.tsx';
import { funnelLabels } from '../../../labels/analytics.ts';
import { countryLabel } from '../../../labels/countries.ts';
import { holdingLabel } from '../../../labels/people.ts';
import { pullResultLabels } from '../../../labels/pulls.ts';
import { blockReasonLabels } from '../../../labels/rules.ts';
import type { MemberHistory } from '../../../queries/records.ts';
import { memberHistoryQuery, useServer } from '../../../queries/servers.ts';
import { MemberActions } from '../member-actions.tsx';
import { MemberFacts } from '../member-details.tsx';
import { PersonHead } from './person-head.tsx';
import { PersonRoles } from './person-roles.tsx';
import { PersonStanding } from './person-standing.tsx';

/** All that is known about one member. */
export const Person = () => {
  const { id } = useServer();
  const { memberId = '' } = useParams();
  const history = useQuery(memberHistoryQuery(id, memberId));
  return (
    <>
      <BackLink to={`/servers/${id}/members`}>Members</BackLink>
      {!history.data && <PageHead title="Member" />}
      <Loaded query={history} height={500}>
        {(data) => (
          <>
            <PersonHead member={data.member} />
            <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
              <Stack gap="lg">
                <MemberFacts member={data.member} />
                <PersonRoles history={data} />
              </Stack>
              <Stack gap="lg">
                <PersonStanding history={data} />
                <History history={data} serverId={id} />
                <Pulls history={data} serverId={id} />
                <Section title="Block or allow" padding="md">
                  <MemberActions member={data.member} />
                </Section>
              </Stack>
            </SimpleGrid>
          </>
        )}
      </Loaded>
    </>
  );
};

type OfServer = { history: MemberHistory; serverId: string };

/** When they came, and which backups have them; in one card where one of the two has nothing to show. */
const History = ({ history, serverId }: OfServer) => {
  const { attempts, attemptsSince, backups } = history;
  const kept = attemptsSince && (
    <>
      Attempts are kept for 30 days. The history of this server begins{' '}
      <Moment at={attemptsSince} isExact />.
    </>
  );
  if (attempts.length === 0 || backups.length === 0) {
    return (
      <Section title="History" padding="md" note={kept}>
        <Stack gap="sm">
          <Attempts history={history} />
          <Backups history={history} serverId={serverId} />
        </Stack>
      </Section>
    );
  }
  return (
    <>
      <Section title="Verification attempts" padding="md" note={kept}>
        <Attempts history={history} />
      </Section>
      <Section title="Backups that hold them" padding="md">
        <Backups history={history} serverId={serverId} />
      </Section>
    </>
  );
};

const Attempts = ({ history: { attempts } }: Pick<OfServer, 'history'>) =>
  attempts.length === 0 ? (
    <Nothing>No attempts to verify in the last 30 days.</Nothing>
  ) : (
    <RecordTable
      caption="Verification attempts"
      rows={attempts}
      columns={[
        { header: 'When', cell: ({ startedAt }) => <Moment at={startedAt} /> },
        {
          header: 'Outcome',
          cell: ({ stage, blockReason }) =>
            blockReason ? `Blocked: ${blockReasonLabels[blockReason].label}` : funnelLabels[stage],
        },
        { header: 'From', cell: ({ country }) => (country ? countryLabel(country) : '–') },
      ]}
    />
  );

const Backups = ({ history: { backups }, serverId }: OfServer) =>
  backups.length === 0 ? (
    <Nothing>They are in no backup of this server.</Nothing>
  ) : (
    <RecordTable
      caption="Backups that hold them"
      rows={backups}
      columns={[
        {
          header: 'Backup',
          cell: ({ id, name }) => (
            <TextLink to={`/servers/${serverId}/backups/${id}`}>
              <Name>{name}</Name>
            </TextLink>
          ),
        },
        { header: 'Holds', cell: ({ kinds }) => kinds.map(holdingLabel).join(', ') },
        { header: 'Made', cell: ({ createdAt }) => <Moment at={createdAt} /> },
      ]}
    />
  );

const Pulls = ({ history: { pulls }, serverId }: OfServer) =>
  pulls.length > 0 && (
    <Section title="Brought back" padding="md">
      <RecordTable
        caption="Pulls"
        rows={pulls}
        columns={[
          {
            header: 'Pull',
            cell: ({ id, createdAt }) => (
              <TextLink to={`/servers/${serverId}/pulls/${id}`}>
                <Moment at={createdAt} />
              </TextLink>
            ),
          },
          {
            header: 'Result',
            cell: ({ result }) => (result ? pullResultLabels[result].label : 'not tried yet'),
          },
        ]}
      />
    </Section>
  );

const Nothing = ({ children }: { children: string }) => (
  <Text size="sm" c="dimmed">
    {children}
  </Text>
);
