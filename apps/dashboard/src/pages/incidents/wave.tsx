import { Group, Stack, Text } from '@mantine/core';
import { IconBan, IconDoorExit, IconUserCheck } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../api.ts';
import { ConfirmButton } from '../../components/confirm.tsx';
import { Facts, Moment, Name } from '../../components/display.tsx';
import { type Column, Loaded, PagedTable, usePageNumber } from '../../components/list.tsx';
import { Section } from '../../components/page.tsx';
import { formatCount, formatTime, plural } from '../../labels/format.ts';
import { decisionText, newcomerState, signsOf, type WaveDecision } from '../../labels/waves.ts';
import { changedByIncident, newcomersQuery, waveQuery } from '../../queries/protection.ts';
import type { Incident, Newcomer, Wave } from '../../queries/records.ts';

/** The newcomers of a raid, and the one decision about those who are held. */
export const WaveReview = ({ incident }: { incident: Incident }) => {
  const wave = useQuery({ ...waveQuery(incident.id), enabled: incident.kind === 'RAID' });
  if (incident.kind !== 'RAID') return null;
  return (
    <Section title="Newcomers of the raid">
      <Loaded query={wave} height={200}>
        {(found) => <WaveOf incident={incident} wave={found} />}
      </Loaded>
    </Section>
  );
};

const WaveOf = ({ incident, wave }: { incident: Incident; wave: Wave }) => {
  const newcomers = useQuery(newcomersQuery(incident.id, usePageNumber()));
  const { counts } = wave;
  return (
    <Stack gap="md">
      <Facts
        facts={[
          { label: 'Joined', value: formatCount(wave.newcomers) },
          { label: 'Held', value: formatCount(counts.held + counts.removing) },
          { label: 'Let in', value: formatCount(counts.kept + counts.spared) },
          { label: 'Removed', value: formatCount(counts.kicked + counts.banned) },
        ]}
      />
      <Text size="sm">
        {wave.overAt === null
          ? 'The wave goes on: newcomers are checked more strictly, and invites are paused.'
          : 'The wave is over: your own settings apply again.'}
      </Text>
      {wave.decision === null && incident.endedAt === null && (
        <Decisions incident={incident} held={counts.held} />
      )}
      {wave.decision !== null && wave.decidedAt !== null && (
        <Text size="sm" role="status">
          {decisionText(wave.decision, counts)} Decided {formatTime(wave.decidedAt)}.
        </Text>
      )}
      <PagedTable
        query={newcomers}
        height={200}
        caption="Newcomers who are or were held, the likeliest raiders first"
        columns={columns}
        empty={<Text size="sm">Nobody is held.</Text>}
      />
    </Stack>
  );
};

type Choice = {
  decision: WaveDecision;
  label: string;
  icon: typeof IconBan;
  title: string;
  /** What it does to those who are held. */
  consequence: string;
  message: string;
};

const choices: Choice[] = [
  {
    ...{ decision: 'KEEP', label: 'Let all in', icon: IconUserCheck },
    title: 'Let all newcomers in?',
    consequence: 'They can verify again, the raid ends, and the incident is dismissed.',
    message: 'Nobody is held any more.',
  },
  {
    ...{ decision: 'KICK', label: 'Kick all', icon: IconDoorExit },
    title: 'Kick all who are held?',
    consequence:
      'Whoever has verified, is trusted or has been given a role meanwhile is spared. The others can join again.',
    message: 'They are being kicked.',
  },
  {
    ...{ decision: 'BAN', label: 'Ban all', icon: IconBan },
    title: 'Ban all who are held?',
    consequence:
      'Whoever has verified, is trusted or has been given a role meanwhile is spared. Bans can be lifted on the platform.',
    message: 'They are being banned.',
  },
];

const Decisions = ({ incident, held }: { incident: Incident; held: number }) => {
  const { id, serverId } = incident;
  return (
    <Group gap="sm" role="group" aria-label="Decide about all who are held">
      {choices.map(({ decision, label, icon: Icon, title, consequence, message }) => (
        <ConfirmButton
          key={decision}
          isDangerous
          button={{
            ...(decision === 'BAN' ? { color: 'red' } : { variant: 'default' }),
            ...{ children: label, leftSection: <Icon size={18} aria-hidden /> },
          }}
          {...{ title, label, message }}
          action={() => api.decideWave({ params: { id }, body: { decision } })}
          invalidates={changedByIncident(serverId, id)}
        >
          <Text size="sm">
            {plural(held, 'newcomer is', 'newcomers are')} held. {consequence} This can be decided
            once.
          </Text>
        </ConfirmButton>
      ))}
    </Group>
  );
};

const columns: Column<Newcomer>[] = [
  { header: 'Name', cell: ({ username, id }) => <Name>{username || id}</Name> },
  { header: 'Joined', cell: ({ joinedAt }) => <Moment at={joinedAt} /> },
  { header: 'Account made', cell: ({ accountCreatedAt }) => <Moment at={accountCreatedAt} /> },
  { header: 'Signs', cell: signsOf },
  { header: 'Now', cell: newcomerState },
];
